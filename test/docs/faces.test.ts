import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { circlesOf, idleFaces, importsOf, pastFaces, readImports, wrongArrows } from "../support/imports.ts";

const root = join(import.meta.dirname, "..", "..");
// They have no list: what is below all rooms of a side is open to them, but for these folders.
const BASES = ["src/platform", "gateway/http"];
const CLOSED = ["src/platform/grpc/", "src/platform/db/embedded-postgres/"];

const readmes = globSync("{src,gateway}/**/README.md", { cwd: root });
const rooms = readmes
  .map((path) => dirname(path))
  .filter((path) => path.split("/").length <= 2 || path.startsWith("src/providers/"));
const faces = new Map(rooms.map((room) => [room, listedFace(room)]));
// It joins the providers to the rooms.
faces.set("src/providers/registry.ts", ["src/providers/registry.ts"]);
for (const base of BASES) {
  const files = globSync(`${base}/**/*.ts`, { cwd: root });
  faces.set(
    base,
    files.filter((file) => !CLOSED.some((closed) => file.startsWith(closed))),
  );
}
const faceOf = (room: string): readonly string[] => faces.get(room) ?? [];

/** Returns what a README lists after "Entry points:", up to the end of the paragraph. */
function listedFace(room: string): readonly string[] {
  const [, face = ""] =
    /^Entry points: (.*?)\n\n/ms.exec(readFileSync(join(root, room, "README.md"), "utf8")) ?? [];
  return [...face.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => join(room, file));
}

describe("imports", () => {
  const imports = readImports(root);

  test("keep to the arrows of the architecture", () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(wrongArrows(imports)).toEqual([]);
  });

  test("reach another room by its face alone", () => {
    expect(pastFaces(imports, faceOf)).toEqual([]);
  });

  test("make no circle of rooms", () => {
    expect(circlesOf(imports)).toEqual([]);
  });

  test("use every file of every face", () => {
    const listed = rooms.filter((room) => !BASES.includes(room));
    expect(idleFaces(imports, listed, faceOf)).toEqual([]);
  });
});

describe("a forbidden import is found", () => {
  test.each([
    ["src/platform/db/ids.ts", "../../ledger/service.ts"],
    ["src/platform/db/ids.ts", "../../rooms.ts"],
    ["src/platform/grpc/gate.ts", "../../identity/service.ts"],
    ["src/links/service.ts", "../../gateway/pages/format.ts"],
    ["src/app.ts", "../cli/serve.ts"],
    ["gateway/app.ts", "../src/platform/db/ids.ts"],
    ["gateway/console/close/routes.ts", "../../../src/closes/service.ts"],
    ["contract/network.ts", "../src/platform/db/ids.ts"],
    ["cli/serve/serve.ts", "../../test/support/clock.ts"],
  ])("against the architecture: %s, %s", (from, path) => {
    expect(wrongArrows(importsOf(from, `import type { A } from "${path}";`))).toHaveLength(1);
  });

  test.each([
    ["src/links/service.ts", "../ledger/settlement.ts"],
    ["src/links/service.ts", "../platform/grpc/gate.ts"],
    ["src/links/service.ts", "../rooms.ts"],
    ["gateway/console/close/routes.ts", "../../checkout/core.ts"],
    ["gateway/console/close/routes.ts", "../../app.ts"],
  ])("past a face: %s, %s", (from, path) => {
    for (const text of [`export * from "${path}";`, `await import("${path}")`, `import "${path}";`]) {
      expect(pastFaces(importsOf(from, text), faceOf)).toHaveLength(1);
    }
  });

  test("a circle of rooms", () => {
    const there = importsOf("src/links/service.ts", `import { a } from "../ledger/service.ts";`);
    const back = importsOf("src/ledger/service.ts", `import type { B } from "../links/mapping.ts";`);
    const above = importsOf("src/checkout/service.ts", `import { c } from "../links/service.ts";`);
    expect(circlesOf([...there, ...above])).toEqual([]);
    expect(circlesOf([...there, ...above, ...back])).toEqual([
      "src/links → src/ledger",
      "src/ledger → src/links",
    ]);
  });

  test("and a file of a face that no room imports", () => {
    expect(idleFaces([], ["src/media"], faceOf)).toEqual(["src/media/service.ts"]);
  });

  test("but not one of the files that connect rooms, or of the command line", () => {
    const texts = [
      importsOf("src/worker.ts", `import { a } from "./webhooks/sender.ts";`),
      importsOf("gateway/app.ts", `import { a } from "./checkout/routes.ts";`),
      importsOf("cli/serve/serve.ts", `import { a } from "../../src/media/storage.ts";`),
      importsOf(
        "src/ledger/service.ts",
        `import { a } from "../../gen/paylink/x.ts"; import b from "vitest";`,
      ),
    ];
    expect(wrongArrows(texts.flat())).toEqual([]);
    expect(pastFaces(texts.flat(), faceOf)).toEqual([]);
  });
});
