import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A relative import: a file and what it names, both from the root. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The files of a room that other rooms may import, as paths from the root. */
export type FaceOf = (room: string) => readonly string[];

const SIDES = ["cli", "contract", "gateway", "src", "tools/bank"];
/** Generated code and the package's manifest are open to all. */
const OPEN = new Set(["gen", "package.json"]);
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** The top folders that each top folder may import, besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "tools/bank": [],
  contract: [],
  src: ["contract"],
  gateway: ["contract"],
  cli: ["contract", "gateway", "src", "tools/bank"],
};
const PLATFORM = "src/platform";

/** Returns every relative import of these top folders, types included, but not of generated code. */
export function readImports(root: string): Import[] {
  return SIDES.flatMap((side) => globSync(`${side}/**/*.ts`, { cwd: root }))
    .toSorted()
    .flatMap((from) => importsOf(from, readFileSync(join(root, from), "utf8")));
}

/** Returns the relative imports of one file. */
export function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)]
    .map(([, path = ""]) => ({ from, to: join(dirname(from), path) }))
    .filter(({ to }) => !OPEN.has(sideOf(to)));
}

/**
 * Returns the room of a file: "src/ledger", "src/providers/asaas" or "gateway/pages", else its side. The files of a side itself, like
 * src/rooms.ts, connect its rooms.
 */
function roomOf(file: string): string {
  const [provider] = /^src\/providers\/(?:[^/]+(?=\/)|registry\.ts)/.exec(file) ?? [];
  if (provider !== undefined) return provider;
  const [side = "", room = "", ...more] = file.split("/");
  return more.length > 0 && (side === "src" || side === "gateway") ? `${side}/${room}` : side;
}

/** Returns the imports against the architecture: between sides that do not know each other, and of rooms by platform. */
export function wrongArrows(imports: readonly Import[]): Import[] {
  return imports.filter(({ from, to }) => {
    const [side, other] = [sideOf(from), sideOf(to)];
    if (side !== other) return ARROWS[side]?.includes(other) !== true;
    return roomOf(from) === PLATFORM && roomOf(to) !== PLATFORM;
  });
}

/** Returns the imports by which a room reaches past another's face. The files that connect rooms see all. */
export function pastFaces(imports: readonly Import[], faceOf: FaceOf): Import[] {
  return betweenRooms(imports).filter(({ to }) => !faceOf(roomOf(to)).includes(to));
}

/** Returns the files of faces that no other room imports. */
export function idleFaces(imports: readonly Import[], rooms: readonly string[], faceOf: FaceOf): string[] {
  const used = new Set(betweenRooms(imports).map(({ to }) => to));
  return rooms.flatMap(faceOf).filter((file) => !used.has(file));
}

/** Returns which room imports which in circles of rooms, as "src/a → src/b". No circle has platform: it knows no room. */
export function circlesOf(imports: readonly Import[]): string[] {
  let left = betweenRooms(imports)
    .map(({ from, to }) => [roomOf(from), roomOf(to)] as const)
    .filter(([from, to]) => ![from, to].includes(PLATFORM) && to !== sideOf(to));
  for (;;) {
    const importing = new Set(left.map(([from]) => from));
    const imported = new Set(left.map(([, to]) => to));
    // A room that imports none of the others, or that none imports, is in no circle.
    const inside = left.filter(([from, to]) => imported.has(from) && importing.has(to));
    if (inside.length === left.length) return [...new Set(inside.map((pair) => pair.join(" → ")))];
    left = inside;
  }
}

/** Returns the imports that leave a room for another place of its side: a room, or the files that connect rooms. */
function betweenRooms(imports: readonly Import[]): Import[] {
  return imports.filter(({ from, to }) => {
    const isRoom = roomOf(from) !== sideOf(from);
    return isRoom && sideOf(from) === sideOf(to) && roomOf(from) !== roomOf(to);
  });
}

function sideOf(file: string): string {
  const [side = "", part = ""] = file.split("/");
  return side === "tools" ? `${side}/${part}` : side;
}
