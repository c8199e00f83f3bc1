import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cellsOf } from "../support/markdown.ts";
import { namedPaths, pathsMeant } from "../support/named-paths.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const found = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: ["**/node_modules"] }).toSorted();

const readmes = found("{cli,contract,deploy,examples,gateway,proto,src,test,tools/drills}/**/README.md");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...found("docs/**/*.md"), ...readmes];

// Folders directly in src/ and gateway/ are rooms, and below them and cli/ those that have a README.
const rooms = new Set([
  "cli",
  "contract",
  "tools/drills",
  "gateway",
  ...found("{gateway,src}/*/*.ts").map((path) => dirname(path)),
  ...readmes.map((path) => dirname(path)).filter((path) => /^(cli|gateway|src)\//.test(path)),
]);

const missing = (page: string, markdown: string): string[] =>
  namedPaths(page, markdown, root)
    .filter((path) => pathsMeant(path, root).length === 0)
    .map(({ text }) => text);
const unsaid = (markdown: string): string[] =>
  ["Owns", "Enter at", "Never"].filter((lead) => !new RegExp(`^\\*\\*${lead}\\*\\*\\s`, "m").test(markdown));

describe("a page names what exists", () => {
  test.each(pages)("%s", (page) => {
    expect(missing(page, read(page))).toEqual([]);
  });

  test("and a name that is gone, in backticks or in a link, is found", () => {
    const gone = "`gone.ts`, `src/gone/`, `src/gone`, `price-<x>.ts`, `gone-*.ts`, [page](gone.md)";
    const there =
      "`price.ts`, `src/pricing/`, `src/pricing`, `price-*.ts`, [page](../ledger/README.md#books)";
    const others =
      "`/metrics`, `.data/`, `application/json`, `npm run gone.ts`, [page](https://example.com/gone.md)";
    expect(missing("src/pricing/README.md", `${gone}\n\n${there}, ${others}`)).toEqual([
      "gone.md",
      "gone.ts",
      "src/gone/",
      "src/gone",
      "gone-*.ts",
    ]);
  });
});

describe("a room's README says what the room owns, where a reader enters, and what it must never do", () => {
  test.each([...rooms])("%s", (room) => {
    expect(unsaid(read(join(room, "README.md")))).toEqual([]);
  });

  test("and one that leaves that out is found", () => {
    expect(unsaid("**Owns** links.\n\n**Enter at** `service.ts`.\n\nIt must **Never** price.")).toEqual([
      "Never",
    ]);
  });
});

describe("docs/contract.md", () => {
  const promises = read("docs/contract.md")
    .split("\n")
    .filter((line) => /^\| .*`\S+` \|$/.test(line))
    .map(cellsOf);

  // A promise is one thing that one file keeps, so that a rule of two files is two promises.
  test("has at least 80 promises, each once", () => {
    expect(promises.length).toBeGreaterThanOrEqual(80);
    expect(new Set(promises.map(([promise]) => promise)).size).toBe(promises.length);
  });

  test("names for each promise one file that keeps it and one test", () => {
    const wrong = promises.filter(([, keeper = "", holder = "", ...more]) => {
      const [kept = "", held = ""] = [keeper, holder].map((cell) => /^`(\S+)`$/.exec(cell)?.[1]);
      const isThere = [kept, held].every((path) => path !== "" && existsSync(join(root, path)));
      return !isThere || more.length > 0 || kept.startsWith("test/") || !/^test\/.*\.test\.ts$/.test(held);
    });
    expect(wrong).toEqual([]);
  });
});
