import { readFileSync } from "node:fs";
import { lookup } from "node:dns";
import { join } from "node:path";
import { expect, test } from "vitest";
import { postmanCollection, type ApiDocument } from "../../tools/scripts/postman-collection.ts";
import { forFile } from "../support/for-file.ts";
import { pictureFolder } from "../support/media.ts";
import { createMerchant } from "../support/merchant.ts";
import { openApi, operations } from "../support/openapi.ts";
import { startService } from "../support/service.ts";

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: {
      readonly raw: string;
      readonly path: readonly string[];
      readonly variable: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}

const FILE = join(import.meta.dirname, "..", "..", "gen", "paylink.postman_collection.json");
const written = JSON.parse(readFileSync(FILE, "utf8")) as { item: { name: string; item: Item[] }[] };
const items = written.item.flatMap((folder) => folder.item);

test("the collection is what the script makes of the document as it is", () => {
  expect(written).toEqual(JSON.parse(JSON.stringify(postmanCollection(openApi as unknown as ApiDocument))));
});

test("it has each operation once, in the folder of its tag", () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(items.map(({ name }) => name).toSorted()).toEqual(ids.toSorted());
});

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(
  startService("direct", {
    mediaStorage,
    lookup: (_name, options, callback) => lookup("93.184.215.14", options, callback),
  }),
);

test("sent as it is, with the values filled in, each request is taken for its operation", async () => {
  const { tenant } = await createMerchant(service);
  for (const { name, request } of items) {
    const { raw, variable } = request.url;
    const filled = variable.reduce((text, { key, value }) => text.replace(`:${key}`, value), raw);
    const headers = request.header.map(({ key, value }): [string, string] => [
      key,
      value === "{{$guid}}" ? crypto.randomUUID() : value,
    ]);
    const response = await service.gateway.inject({
      method: request.method as "GET" | "POST",
      url: filled.replace("{{baseUrl}}", ""),
      headers: {
        ...Object.fromEntries(headers),
        ...(request.auth?.type === "noauth" ? {} : { authorization: `Bearer ${tenant.testKey}` }),
      },
      ...(request.body ? { payload: request.body.raw } : {}),
    });
    const { error } = response.json<{ error?: { code: string } }>();
    // The examples' ids are unknown here; nothing else is wrong with them.
    const isTaken = response.statusCode < 300 || error?.code.endsWith("_not_found");
    expect([name, isTaken || error?.code]).toEqual([name, true]);
  }
});
