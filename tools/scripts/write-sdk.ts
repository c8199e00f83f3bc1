/**
 * Writes what the SDK and the collection are made of, from gen/openapi.json: the types and the table of operations in
 * gen/sdk/, and gen/paylink.postman_collection.json. A part of `npm run generate`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { postmanCollection, type ApiDocument } from "./postman-collection.ts";

const root = join(import.meta.dirname, "..", "..");
const source = join(root, "gen", "openapi.json");
const folder = join(root, "gen", "sdk");
const document = JSON.parse(readFileSync(source, "utf8")) as ApiDocument;

mkdirSync(folder, { recursive: true });
const openapiTypescript = join(root, "sdk", "node_modules", ".bin", "openapi-typescript");
execFileSync(openapiTypescript, [source, "--output", join(folder, "api.ts"), "--alphabetize"], {
  stdio: "ignore",
});
writeFileSync(join(folder, "operations.ts"), operationsText(document));
const collection = `${JSON.stringify(postmanCollection(document), null, 2)}\n`;
writeFileSync(join(root, "gen", "paylink.postman_collection.json"), collection);

/** Returns the table of operations as a module. */
function operationsText({ paths }: ApiDocument): string {
  const lines = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { operationId, parameters = [] }]) => {
      const named = (place: string): string[] =>
        parameters.flatMap((parameter) => (parameter.in === place ? (parameter.name ?? []) : []));
      const isKeyed = parameters.some(({ $ref = "" }) => $ref.endsWith("IdempotencyKey"));
      const operation = {
        verb: verb.toUpperCase(),
        path,
        inPath: named("path"),
        inQuery: named("query"),
        isKeyed,
      };
      return `  ${operationId}: ${JSON.stringify(operation)},\n`;
    }),
  );
  return `// Generated from gen/openapi.json by tools/scripts/write-sdk.ts.\n\n/** Every operation: its address, and where its input goes. What is in neither path nor query is in the body. */\nexport const OPERATIONS = {\n${lines.join("")}} as const;\n`;
}
