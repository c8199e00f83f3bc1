/**
 * Holds the schemas against those of the last release, by the rules of buf.yaml. A release is kept in proto/released/
 * as the descriptors of our own files alone; what they import is added from the packages of today, so that nothing of
 * others is kept. With --record it keeps the schemas of today as the release that package.json names.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { requirePinnedNode } from "./pinned-node.ts";

requirePinnedNode();

const root = join(import.meta.dirname, "..", "..");
const releases = join(root, "proto", "released");
const cache = join(root, ".cache");

const isOurs = ({ name }: FileDescriptorProto): boolean => name.startsWith("paylink/");

if (process.argv.includes("--record")) record();
else compare();

function record(): void {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const path = join(releases, `${version}.binpb`);
  if (existsSync(path))
    throw new Error(`${version} is released already: give package.json a new version first`);
  mkdirSync(releases, { recursive: true });
  writeFiles(path, buildImage().filter(isOurs));
}

function compare(): void {
  const versions = readdirSync(releases).map((name) => name.replace(/\.binpb$/, ""));
  const [last] = versions.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  if (last === undefined) throw new Error("nothing is released yet");
  const released = readFiles(join(releases, `${last}.binpb`));
  const against = join(cache, "released.binpb");
  writeFiles(against, [...buildImage().filter((file) => !isOurs(file)), ...released]);
  const { status } = spawnSync("buf", ["breaking", "proto", "--against", against], {
    cwd: root,
    stdio: "inherit",
  });
  console.log(status === 0 ? `nothing breaks release ${last}` : `the schemas break those of release ${last}`);
  process.exitCode = status === 0 ? 0 : 1;
}

function buildImage(): FileDescriptorProto[] {
  const path = join(cache, "schemas.binpb");
  execFileSync("buf", ["build", "proto", "--exclude-source-info", "-o", path], {
    cwd: root,
    stdio: "inherit",
  });
  return readFiles(path);
}

function readFiles(path: string): FileDescriptorProto[] {
  return fromBinary(FileDescriptorSetSchema, readFileSync(path)).file;
}

function writeFiles(path: string, file: FileDescriptorProto[]): void {
  writeFileSync(path, toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file })));
}
