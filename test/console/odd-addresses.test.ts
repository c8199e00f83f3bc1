import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { createMerchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { PASSWORD } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const BASE = "/console/test";
// What every object of the language inherits.
const INHERITED = ["constructor", "toString", "__proto__", "valueOf"];

const service = await forFile(startService());
const merchant = await createMerchant(service);
const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));

describe("a NUL character", () => {
  const pages = [
    "webhooks/deliveries/%00",
    "webhooks/deliveries/dlv_%00",
    "webhooks/deliveries?type=%00",
    "webhooks/deliveries?endpoint=%00",
    "webhooks/endpoints/%00",
    "links/%00",
    "links?query=%00",
    "quotes/%00",
    "quotes?query=%00",
    "payments/%00",
    "payments?reference=%00",
    "payments?query=%00",
    "close/%00",
    "people/%00",
    "people/%00/role",
    "keys/%00/revoke",
    "settings/%00",
    "audit?actor=%00",
    "audit?action=%00",
    "audit?after=%00",
    "audit/export.csv?actor=%00",
    "media?after=%00",
  ];
  test.each(pages)("in an address is no fault of ours (%s)", async (page) => {
    const { statusCode } = await client.get(`${BASE}/${page}`);
    expect([200, 303, 404, 422]).toContain(statusCode);
    expect(service.faults).toEqual([]);
  });

  const forms: [page: string, action: string, form: Record<string, string>][] = [
    [
      "settings",
      "settings/company",
      { name: "a\0b", payment_methods: "pix", max_installments: "1", settlement_days: "1" },
    ],
    ["people/invite", "people/invite", { email: "a\0@example.test", role: "viewer" }],
    ["people/invite", "people/%00/remove", {}],
    ["keys/new", "keys/new", { name: "a\0b", scopes: "payments:read", password: PASSWORD }],
    ["webhooks/new", "webhooks/new", { url: "https://example.com/\0", password: PASSWORD }],
    ["webhooks/new", "webhooks/endpoints/%00/enable", {}],
    ["webhooks/new", "webhooks/deliveries/resend", { delivery: "\0" }],
    [
      "links/new",
      "links/new",
      { amount: "10,00", currency: "BRL", payment_methods: "pix", reference: "a\0b" },
    ],
    ["links/new", "links/%00/cancel", {}],
    ["account", "account/password", { password: "a\0b", new_password: "a\0b", again: "a\0b" }],
  ];
  test.each(forms)("in a form of %s is refused (%s)", async (page, action, form) => {
    const { statusCode } = await client.post(`${BASE}/${page}`, `${BASE}/${action}`, form);
    expect([404, 422]).toContain(statusCode);
    expect(service.faults).toEqual([]);
  });

  test("in the fields of the sign-in is refused", async () => {
    const guest = new ConsoleClient(service);
    const page = "/console/signin";
    const form = { email: "a\0@example.test", password: "a\0b", code: "123456" };
    const { statusCode } = await guest.post(page, page, form);
    expect(statusCode).toBe(422);
    expect(service.faults).toEqual([]);
  });

  test("is refused by the core at the field that has it, and stays as it was for the public API", async () => {
    const { webhooks, as } = merchant;
    const refusals = [
      await refusalOf(webhooks.listDeliveries({ eventType: "a\0" }, as)),
      await refusalOf(webhooks.resendDeliveries({ deliveryIds: ["x", "\0"] }, as)),
    ];
    expect(refusals.map((refusal) => [refusal?.code, refusal?.param])).toEqual([
      ["invalid_request", "event_type"],
      ["invalid_request", "delivery_ids"],
    ]);
    expect((await merchant.api.get("/v1/payment_links/pl_%00")).status).toBe(404);
  });
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
