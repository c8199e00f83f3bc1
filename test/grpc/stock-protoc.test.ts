import { createRegistry, type AnyDesc, type DescFile, type Message } from "@bufbuild/protobuf";
import { nestedTypes, reflect } from "@bufbuild/protobuf/reflect";
import { file_google_protobuf_descriptor } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { CORE_SERVICES } from "../../src/rooms.ts";

/** Options that are protobuf's own, and that protoc 3.21 has: a newer one stops it. Ours are extensions, which it reads. */
const KNOWN = new Set(["deprecated", "packed", "map_entry", "idempotency_level"]);

const registry = createRegistry(file_google_protobuf_descriptor);

/** Returns the names of protobuf's own options among these. */
function namesIn(options: Message | undefined): string[] {
  const desc = options && registry.getMessage(options.$typeName);
  if (!desc) return [];
  const message = reflect(desc, options);
  return message.fields.filter((field) => message.isSet(field)).map(({ name }) => name);
}

/** Adds our files that these import. */
function filesFrom(files: Iterable<DescFile>, found = new Set<DescFile>()): Set<DescFile> {
  for (const file of files) {
    if (!file.name.startsWith("paylink/") || found.has(file)) continue;
    found.add(file);
    filesFrom(file.dependencies, found);
  }
  return found;
}

/** Everything in a file that may have options. */
function partsOf(file: DescFile): AnyDesc[] {
  const types = [...nestedTypes(file)];
  const members = types.flatMap((type): AnyDesc[] => {
    if (type.kind === "message") return type.fields;
    if (type.kind === "enum") return type.values;
    return type.kind === "service" ? type.methods : [];
  });
  return [file, ...types, ...members];
}

test("no schema has an option that protoc 3.21 does not know", () => {
  const files = filesFrom(CORE_SERVICES.map(({ file }) => file));
  const used = [...files].flatMap((file) =>
    partsOf(file).flatMap((part) => namesIn(part.proto.options).map((name) => [String(part), name])),
  );
  expect(used.map(([, name]) => name)).toContain("idempotency_level");
  expect(used.filter(([, name = ""]) => !KNOWN.has(name))).toEqual([]);
});
