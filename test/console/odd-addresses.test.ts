import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConsoleClient, createPerson } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";

const BASE = "/console/test";
// What every object of the language inherits.
const INHERITED = ["constructor", "toString", "__proto__", "valueOf"];

let service: TestService;
let merchant: Merchant;
let client: ConsoleClient;
beforeAll(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  client = new ConsoleClient(service, await createPerson(service, merchant.tenant.id, "owner"));
});
afterAll(async () => {
  await service.close();
});

describe("a word that every object knows", () => {
  test.each(INHERITED)("is nothing that was done (%s)", async (word) => {
    const link = await merchant.newLink();
    const rooms = ["settings", "account", "people", "keys", "webhooks", `links/${link}`];
    for (const room of rooms) {
      const { statusCode, body } = await client.get(`${BASE}/${room}?done=${word}`);
      expect([room, statusCode]).toEqual([room, 200]);
      expect(body).not.toContain('class="done"');
    }
  });

  test.each(INHERITED)("is no role (%s)", async (role) => {
    const page = `${BASE}/people/invite`;
    const form = { email: "ana@example.test", role };
    expect((await client.post(page, page, form)).statusCode).toBe(422);
  });
});
