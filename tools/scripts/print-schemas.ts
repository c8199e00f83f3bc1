import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  clearField,
  createRegistry,
  equals,
  fromBinary,
  getExtension,
  hasExtension,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import {
  file_buf_validate_validate,
  predefined,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./proto-printer.ts";

const root = join(import.meta.dirname, "..", "..");
const target = join(root, ".cache", "proto");

const CARRIED_BY: Readonly<Record<string, string>> = {
  "google/api/annotations.proto": "google-proto-files/google/api/annotations.proto",
  "google/api/http.proto": "google-proto-files/google/api/http.proto",
  "google/rpc/status.proto": "google-proto-files/google/rpc/status.proto",
  "google/rpc/error_details.proto": "google-proto-files/google/rpc/error_details.proto",
  "grpc/health/v1/health.proto": "grpc-health-check/proto/health/v1/health.proto",
  "grpc/reflection/v1/reflection.proto": "@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto",
  "grpc/reflection/v1alpha/reflection.proto":
    "@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto",
};

if (import.meta.main) {
  printSchemas(root);
  if (process.argv.includes("--verify")) verify();
}

/**
 * Puts the foreign schemas that we use where buf finds them: buf/validate/validate.proto, printed from the descriptor
 * inside @bufbuild/protovalidate (no package carries its source), some of google/ and grpc/ as packages carry them.
 * `tools` is the folder whose node_modules has these packages. Nothing of it is committed.
 */
export function printSchemas(tools: string): void {
  const require = createRequire(join(tools, "package.json"));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, "buf", "validate"), { recursive: true });
  const validate = printProto(file_buf_validate_validate, (options) =>
    hasExtension(options, predefined)
      ? { desc: predefined, value: getExtension(options, predefined) }
      : undefined,
  );
  writeFileSync(join(target, "buf", "validate", "validate.proto"), validate);
  for (const [name, source] of Object.entries(CARRIED_BY)) {
    cpSync(require.resolve(source), join(target, name));
  }
}

/** Compiles the printed file and compares it with the descriptor that it was printed from. */
function verify(): void {
  const image = join(root, ".cache", "validate.binpb");
  mkdirSync(dirname(image), { recursive: true });
  execFileSync("buf", ["build", target, "--as-file-descriptor-set", "--exclude-source-info", "-o", image], {
    stdio: "inherit",
  });
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(image));
  const compiled = set.file.find((file) => file.name === "buf/validate/validate.proto");
  if (
    !compiled ||
    !equals(FileDescriptorProtoSchema, plain(compiled), plain(file_buf_validate_validate.proto), {
      unknown: true,
      registry: createRegistry(),
    })
  ) {
    throw new Error("buf/validate/validate.proto does not compile to the descriptor it was printed from");
  }
}

/** Leaves out what a compiler may fill in or not without a difference in meaning. */
function plain(file: FileDescriptorProto): FileDescriptorProto {
  clearField(file, FileDescriptorProtoSchema.field.syntax);
  plainMessages(file.messageType);
  plainFields(file.extension);
  return file;
}

function plainMessages(messages: readonly DescriptorProto[]): void {
  for (const message of messages) {
    plainFields(message.field);
    plainMessages(message.nestedType);
  }
}

function plainFields(fields: readonly FieldDescriptorProto[]): void {
  for (const field of fields) field.jsonName = "";
}
