import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import type { Answer } from "../support/api.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const { api, newLink, simulate, pay } = merchant;

const messageOf = ({ body }: Answer): string => body.error.message;
const timeText = (unixSeconds: number) => new Date(unixSeconds * 1000).toISOString().replace(".000Z", "Z");
/** Returns the message with NOW in place of the time that it names, which is one of the last seconds. */
function dated(message: string, afterNowSeconds = 0): string {
  const [named = ""] = /[\d-]{10}T[\d:]{8}Z/.exec(message) ?? [];
  const ago = service.clock.nowMs() + afterNowSeconds * 1000 - Date.parse(named);
  expect(ago).toBeGreaterThanOrEqual(0);
  expect(ago).toBeLessThan(10_000);
  return message.replace(named, "NOW");
}
const newQuote = async () =>
  (await api.post("/v1/quotes", { amount: 5000, currency: "BRL", payment_method: "pix" })).body;
const accept = async (id: string) => await api.post(`/v1/quotes/${id}/accept`, { name: "Lamp" });

describe("a closed link's refusal says since when it is closed, and what to do", () => {
  test("completed", async () => {
    const id = await newLink();
    await simulate(id);
    const next = "make a new one, with campaign if it is to take several payments";
    expect(dated(messageOf(await simulate(id)))).toBe(
      `The link was completed at NOW and accepts no payment: ${next}.`,
    );
    expect(dated(messageOf(await api.post(`/v1/payment_links/${id}/cancel`, {})))).toBe(
      `The link was completed at NOW and can no longer be changed: ${next}.`,
    );
  });

  test("expired", async () => {
    const id = await newLink({ expires_in: 60 });
    const { expires_at: end } = (await api.get(`/v1/payment_links/${id}`)).body;
    service.clock.advance(61);
    expect(messageOf(await simulate(id))).toBe(
      `The link expired at ${timeText(end)} and accepts no payment: make a new one.`,
    );
  });

  test("canceled", async () => {
    const id = await newLink();
    await api.post(`/v1/payment_links/${id}/cancel`, {});
    expect(dated(messageOf(await simulate(id)))).toBe(
      `The link was canceled at NOW and accepts no payment: reactivate it, or make a new one.`,
    );
  });

  test("of other methods", async () => {
    const id = await newLink({ payment_methods: ["pix"] });
    expect(messageOf(await simulate(id, { payment_method: "card" }))).toBe(
      "card is not offered here: use pix, or ask the operator for card.",
    );
  });
});

describe("a quote's refusal says since when it cannot be accepted, and what to do", () => {
  test("consumed: where its link is", async () => {
    const { id } = await newQuote();
    const link = (await accept(id)).body;
    expect(dated(messageOf(await accept(id)))).toBe(
      `The quote was accepted at NOW: use its link, which GET /v1/quotes/${id} names, or make a new quote.`,
    );
    expect((await api.get(`/v1/quotes/${id}`)).body.link_id).toBe(link.id);
  });

  test("expired", async () => {
    const { id, expires_at: end } = await newQuote();
    service.clock.advance(1801);
    expect(messageOf(await accept(id))).toBe(
      `The quote's validity ended at ${timeText(end)}: make a new quote.`,
    );
  });
});

describe("a refund's refusal says why, and how much can be refunded", () => {
  const refund = async (id: string, body: object = {}) => await api.post(`/v1/payments/${id}/refunds`, body);

  test("more than is left, and nothing left", async () => {
    const { id, gross_amount: gross } = (await pay()).body;
    await refund(id, { amount: 100 });
    expect(messageOf(await refund(id, { amount: gross }))).toContain(`at most ${gross - 100}, which is left`);
    await refund(id);
    expect(messageOf(await refund(id))).toContain("all was given back, or is under way");
  });

  test("a payment without money", async () => {
    const { id } = (await pay({}, { outcome: "failed" })).body;
    expect(messageOf(await refund(id))).toBe(
      "The payment is failed, and only one that succeeded can be refunded: it took no money.",
    );
  });

  test("after 90 days", async () => {
    const { id } = (await pay()).body;
    service.clock.advance(90 * 86_400 + 1);
    expect(dated(messageOf(await refund(id)), -1)).toContain(
      "until NOW here: pay the payer back by other means",
    );
  });
});

test.each([
  ["/v1/payments/", "pay"],
  ["/v1/payment_links/", "pl"],
  ["/v1/payment_intents/", "pi"],
  ["/v1/quotes/", "qt"],
  ["/v1/refunds/", "ref"],
  ["/v1/events/", "evt"],
  ["/v1/webhook_endpoints/", "we"],
  ["/v1/webhook_deliveries/", "dlv"],
] as const)("404 at %s says that the mode may be another one", async (path, prefix) => {
  const refused = await api.get(path + newId(prefix));
  expect(refused.status).toBe(404);
  expect(messageOf(refused)).toMatch(/^There is no such .* in this mode: check the id, and whether/);
});

test("an idempotency key's refusal says how long it is, or how to make one", async () => {
  const body = { amount: 5000, currency: "BRL" };
  const post = async (idempotencyKey: string | null) =>
    messageOf(await api.post("/v1/payment_links", body, { idempotencyKey }));
  expect(await post(null)).toContain("send a new unique text for each act, such as a UUID");
  expect(await post("k".repeat(300))).toBe("Idempotency-Key has 300 characters: it must have at most 255.");
});
