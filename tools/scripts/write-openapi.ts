/**
 * Writes gen/openapi.json from the .proto files with their comments, which generated code does not carry.
 * The last part of `npm run generate`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";
import { openApiDocument } from "../../gateway/openapi/document.ts";
import packages from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..", "..");
const image = join(root, ".cache", "image.binpb");

execFileSync("buf", ["build", "proto", "--as-file-descriptor-set", "-o", image], {
  cwd: root,
  stdio: "inherit",
});
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)));
const services = [...registry].filter((desc) => desc.kind === "service");
const eventBody = registry.getMessage("paylink.webhooks.v1.EventBody");
if (!eventBody) throw new Error("paylink.webhooks.v1.EventBody is not there");
const document = openApiDocument({
  version: packages.version,
  services,
  eventBody,
  commentOf: (desc) => getComments(desc).leading ?? "",
  introduction: readFileSync(join(root, "gateway", "openapi", "introduction.md"), "utf8"),
});
writeFileSync(join(root, "gen", "openapi.json"), `${JSON.stringify(document, null, 2)}\n`);
