import { Code } from "@connectrpc/connect";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONNECT_CODES } from "../../contract/error-codes.ts";

const PROTO = join(import.meta.dirname, "..", "..", "proto", "paylink");
// "not_found (payment_not_found, refund_not_found: it is another payment's)"
const PROMISE = /\b([a-z_]+) \(([^()]*)\)/g;

const statuses = new Map(Object.entries(Code).map(([name, code]) => [snakeCase(name), code]));

function snakeCase(name: string): string {
  return name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Returns each code that a comment promises, with the status that it promises for it. */
function promises(text: string): { status: string; code: string }[] {
  const comments = [...text.matchAll(/(?:^ *\/\/.*\n)+/gm)].map(([lines]) =>
    lines.replaceAll(/\s*\/\/ ?/g, " "),
  );
  return comments.flatMap((comment) =>
    [...comment.matchAll(PROMISE)]
      .filter(([, status = ""]) => statuses.has(status))
      .flatMap(([, status = "", named = ""]) =>
        [...named.matchAll(/[a-z_]+/g)]
          .filter(([code]) => code in CONNECT_CODES)
          .map(([code]) => ({ status, code })),
      ),
  );
}

test("a comment promises each code with the status that RPCs answer it with", () => {
  const files = globSync("**/*.proto", { cwd: PROTO });
  const found = files.flatMap((file) =>
    promises(readFileSync(join(PROTO, file), "utf8")).map((promise) => ({ file, ...promise })),
  );
  expect(found.length).toBeGreaterThan(150);
  const wrong = found.filter(
    ({ status, code }) => CONNECT_CODES[code as keyof typeof CONNECT_CODES] !== statuses.get(status),
  );
  expect(wrong).toEqual([]);
});
