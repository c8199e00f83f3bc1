import { equals, clearField, createRegistry, fromBinary } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const BUF = join(ROOT, "node_modules", ".bin", "buf");
const hasGit = spawnSync("git", ["--version"]).status === 0;

const folder = mkdtempSync(join(tmpdir(), "clone-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clone = join(folder, "paylink");
for (const name of ["buf.yaml", "proto"]) cpSync(join(ROOT, name), join(clone, name), { recursive: true });

function run(program: string, args: readonly string[], cwd = clone): string {
  return execFileSync(program, args, { cwd, encoding: "utf8" });
}

if (hasGit) {
  run("git", ["init", "--quiet", "--initial-branch", "main"]);
  run("git", ["add", "."]);
  run("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "all"]);
}

test("what git has is enough to build, lint and list the schemas", () => {
  run(BUF, ["build", "-o", join(folder, "image.binpb")]);
  run(BUF, ["lint"]);
  const files = run(BUF, ["ls-files"]).trim().split("\n");
  expect(files).toEqual(expect.arrayContaining(["proto/paylink/links/v1/links.proto"]));
});

test.runIf(hasGit)("the schemas build from a git input, and compare with a branch", () => {
  const repository = `${join(clone, ".git")}#branch=main`;
  run(BUF, ["build", repository, "-o", join(folder, "from-git.binpb")], tmpdir());
  expect(run(BUF, ["ls-files", repository], tmpdir())).toContain("proto/google/rpc/status.proto");
  run(BUF, ["breaking", "--against", ".git#branch=main"]);
});

test("the rules of fields are those that the service checks by", () => {
  const image = join(folder, "rules.binpb");
  run(BUF, ["build", "proto", "--as-file-descriptor-set", "--exclude-source-info", "-o", image]);
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(image));
  const here = file.find(({ name }) => name === "buf/validate/validate.proto");
  if (!here) throw new Error("buf/validate/validate.proto is not in the image");
  const options = { unknown: true, registry: createRegistry() };
  const there = structuredClone(file_buf_validate_validate.proto);
  expect(equals(FileDescriptorProtoSchema, plain(here), plain(there), options)).toBe(true);
});

/** Leaves out what a compiler may fill in or not without a difference in meaning. */
function plain(file: FileDescriptorProto): FileDescriptorProto {
  clearField(file, FileDescriptorProtoSchema.field.syntax);
  plainMessages(file.messageType);
  for (const field of file.extension) field.jsonName = "";
  return file;
}

function plainMessages(messages: readonly DescriptorProto[]): void {
  for (const message of messages) {
    for (const field of message.field) field.jsonName = "";
    plainMessages(message.nestedType);
  }
}
