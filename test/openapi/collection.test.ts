import { readFileSync } from "node:fs";
import { lookup } from "node:dns";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
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
const written = JSON.parse(readFileSync(FILE, "utf8")) as {
  variable: { key: string; value: string }[];
  event: { script: { exec: string[] } }[];
  item: { name: string; item: Item[] }[];
};
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

/** Sends requests as Postman does: variables are filled in, and the collection's script runs after each answer. */
class Sender {
  readonly variables = new Map(written.variable.map(({ key, value }) => [key, value]));
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async send({ request }: Item): Promise<{ status: number; code: string | undefined }> {
    const { raw, variable } = request.url;
    const address = variable.reduce((text, { key, value }) => text.replace(`:${key}`, value), raw);
    const headers = request.header.map(({ key, value }): [string, string] => [
      key,
      value === "{{$guid}}" ? crypto.randomUUID() : value,
    ]);
    const response = await service.gateway.inject({
      method: request.method as "GET" | "POST",
      url: this.#filled(address).replace("http://localhost:8080", ""),
      headers: {
        ...Object.fromEntries(headers),
        ...(request.auth?.type === "noauth" ? {} : { authorization: `Bearer ${this.#key}` }),
      },
      ...(request.body ? { payload: this.#filled(request.body.raw) } : {}),
    });
    const set = (name: string, value: string) => this.variables.set(name, value);
    const pm = {
      response: { code: response.statusCode, json: () => response.json<unknown>() },
      collectionVariables: { set },
    };
    for (const { script } of written.event) runInNewContext(script.exec.join("\n"), { pm });
    const { error } = response.json<{ error?: { code: string } }>();
    return { status: response.statusCode, code: error?.code };
  }

  #filled(text: string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => this.variables.get(name) ?? whole);
  }
}

test("sent as it is, with the values filled in, each request is taken for its operation", async () => {
  const { tenant } = await createMerchant(service);
  for (const item of items) {
    const { status, code } = await new Sender(tenant.testKey).send(item);
    // The examples' ids are unknown here; nothing else is wrong with them.
    const isTaken = status < 300 || code?.endsWith("_not_found");
    expect([item.name, isTaken || code]).toEqual([item.name, true]);
  }
});

test("ids are carried from one request to the next", async () => {
  const { tenant } = await createMerchant(service);
  const sender = new Sender(tenant.testKey);
  const order =
    "createQuote getQuote acceptQuote getPaymentLink simulatePayment getPayment createRefund listRefunds " +
    "createWebhookEndpoint getWebhookEndpoint sendTestEvent listSentEvents getSentEvent listDeliveries getDelivery";
  for (const name of order.split(" ")) {
    const item = items.find((one) => one.name === name);
    const { status, code } = item ? await sender.send(item) : { status: 0, code: "no such request" };
    expect([name, status < 300 || code]).toEqual([name, true]);
  }
  const link = await service.gateway.inject({
    url: `/v1/payment_links/${sender.variables.get("payment_link_id")}`,
    headers: { authorization: `Bearer ${tenant.testKey}` },
  });
  expect(link.json()).toMatchObject({ status: "completed" });
});
