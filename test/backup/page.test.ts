import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SECRETS } from "../../cli/operate/backup/layout.ts";
import { faultOf } from "../support/command-line.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "backup.md"), "utf8");
const lines = [...page.matchAll(/npx (paylink [^\n`]+)/g)].map(([, line = ""]) => line.trim());

test.each(lines)("%s of docs/backup.md would run", (line) => {
  expect(faultOf(line)).toBeNull();
});

test("docs/backup.md names the secrets that a backup leaves out", () => {
  expect(lines.length).toBeGreaterThan(8);
  for (const name of SECRETS.slice(0, 2)) expect(page).toContain(`\`DATA_DIR/${name}\``);
});
