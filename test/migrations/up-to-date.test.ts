import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations/migrate.ts";
import { bringUpToDate } from "../../src/migrations/up-to-date.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "src", "migrations");

const { url } = await cloneDatabase();
const rows = await forFile(new DatabaseRows(url).open());

test("every migration is a file of its name, by which a start sees what is due", () => {
  const names = new Set([...MIGRATIONS.values()].flat());
  const files = readdirSync(FOLDER).flatMap((file) => /^(\w+-\d{4})\.ts$/.exec(file)?.slice(1) ?? []);
  expect(files.toSorted()).toEqual([...names].toSorted());
});

test("a start writes nothing to an up-to-date database", async () => {
  const read = async () =>
    await rows.read(
      "SELECT xmin::text AS version, relname FROM pg_class WHERE relkind IN ('r', 'i') ORDER BY oid",
    );
  const before = await read();
  await bringUpToDate(url);
  expect(await read()).toEqual(before);
});
