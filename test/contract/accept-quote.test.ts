import { afterAll, describe, expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { png } from "../support/pictures.ts";
import { CHECKOUT_BASE, MEDIA_BASE } from "../support/core-options.ts";
import { pictureFolder, uploaded, Uploader } from "../support/media.ts";
import { overEachTransport } from "../support/transports.ts";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const transports = await overEachTransport({ payoutCurrency: "USD" }, pictures);

describe.each(transports)("POST /v1/quotes/{id}/accept over the $kind transport", (on) => {
  const { service, tenant, api } = on;

  const quote = async (more: object = {}) =>
    (await api.post("/v1/quotes", { amount: 10_000, currency: "USD", payment_method: "pix", ...more })).body;
  const accept = (id: string, more: object = {}) =>
    api.post(`/v1/quotes/${id}/accept`, { name: "Shoes", ...more });

  test("201: the link object created from an accepted quote, with the quote's price", async () => {
    const quoted = await quote();
    const { status, body } = await accept(quoted.id, { reference: "order-1" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^pl_[0-9a-z]{26}$/),
      url: `${CHECKOUT_BASE}/pay/${body.id}`,
      checkout_url: `${CHECKOUT_BASE}/pay/${body.id}`,
      amount: 10_000,
      currency: "USD",
      payment_method: "pix",
      installments: 1,
      payer_total: quoted.payer_total,
      payer_currency: "BRL",
      receiver_net: quoted.receiver_net,
      receiver_currency: "USD",
      fx_rate_history_id: quoted.fx_rate_history_id,
      payment_intent_id: expect.stringMatching(/^pi_[0-9a-z]{26}$/),
      expires_at: expect.any(Number),
      reference: "order-1",
    });
    const now = Math.floor(service.clock.nowMs() / 1000);
    expect(Math.abs(body.expires_at - now - 86_400)).toBeLessThanOrEqual(1);
  });

  test("Campaign link: does not store the quote's FX; never expires when expires_in is omitted", async () => {
    const { status, body } = await accept((await quote()).id, { campaign: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("fx_rate_history_id");
    expect(body.expires_at).toBe(0);
    // The quote's own rate is locked for 3600 seconds.
    const { fx } = (await api.post(`/v1/payment_links/${body.id}/simulate_payment`, { outcome: "succeeded" }))
      .body;
    expect(fx.valid_until - fx.locked_at).toBe(900);
  });

  test("expires_in: 0 means no expiry", async () => {
    expect((await accept((await quote()).id, { expires_in: 0 })).body.expires_at).toBe(0);
  });

  test("a quote of each method can be accepted, ted too", async () => {
    for (const payment_method of ["pix", "ted", "card"]) {
      const quoted = await quote({ payment_method });
      const { status, body } = await accept(quoted.id);
      expect(status).toBe(201);
      expect(body).toMatchObject({ payment_method, payer_total: quoted.payer_total });
    }
  });

  test.each([
    ["name", { name: "n".repeat(500) }, { name: "n".repeat(501) }],
    ["name", { name: "n" }, { name: "" }],
    ["description", { description: "d".repeat(500) }, { description: "d".repeat(501) }],
    ["reference", { reference: "r".repeat(255) }, { reference: "r".repeat(256) }],
    ["expires_in", { expires_in: 1 }, { expires_in: -1 }],
    ["payer_country", { payer_country: "BR" }, { payer_country: "XX" }],
    ["payer_country", { payer_country: "US" }, { payer_country: "us" }],
  ])("the limit of %s: at the edge 201, one past it 400", async (param, edge, past) => {
    const { id } = await quote();
    expectError(await accept(id, past), { param });
    expect((await accept(id, edge)).status).toBe(201);
  });

  test.each([
    "https://elsewhere.example/a.png",
    `${MEDIA_BASE}.evil.example/a.png`,
    `${MEDIA_BASE}/../secret.png`,
    `https://user@media.example.test/files/a.png`,
    "javascript:alert(1)",
  ])("media_urls must be hosted by the service: %s is refused", async (url) => {
    expectError(await accept((await quote()).id, { media_urls: [url] }), { param: "media_urls" });
  });

  test("media_urls are at most 5, each of a picture that this tenant uploaded in this mode", async () => {
    const urls = await uploaded(service, tenant, 6);
    const { id } = await quote();
    const [first = ""] = urls;
    const [others = ""] = await uploaded(service, await service.createTenant(), 1);
    const live = await new Uploader(service, tenant, "live").upload(await png());
    const idempotencyKey = "accept-with-pictures";
    const never = first.replace(/.{3}\.webp$/, "000.webp");
    for (const media_urls of [
      urls,
      [others],
      [live.url],
      [never],
      [first, `${first}?a`],
      [`${MEDIA_BASE}/a.png`],
    ]) {
      const refused = await api.post(
        `/v1/quotes/${id}/accept`,
        { name: "Shoes", media_urls },
        { idempotencyKey },
      );
      expectError(refused, { param: "media_urls" });
    }
    const media_urls = [...urls.slice(0, 4), first];
    const taken = await api.post(
      `/v1/quotes/${id}/accept`,
      { name: "Shoes", media_urls },
      { idempotencyKey },
    );
    expect(taken.status).toBe(201);
  });

  test("name is required, id is no body key", async () => {
    const { id } = await quote();
    const missing = await api.post(`/v1/quotes/${id}/accept`, {});
    expectError(missing, { param: "name" });
    const unknown = await accept(id, { id });
    expectError(unknown, { code: "unknown_parameter", param: "id" });
  });

  test("a quote made for a legacy intent: the link and its payments carry the intent's reference and metadata", async () => {
    const carried = { reference: "order-7", metadata: { order: 7 } };
    const intent = await api.post("/v1/payment_intents", { amount: 5000, currency: "BRL", ...carried });
    const priced = async () =>
      (await api.post("/v1/quotes", { payment_intent_id: intent.body.id, payment_method: "pix" })).body.id;
    const paid = async (link: string) =>
      (await api.post(`/v1/payment_links/${link}/simulate_payment`, { outcome: "succeeded" })).body;
    const link = await accept(await priced());
    expect(link.body.reference).toBe("order-7");
    expect(await paid(link.body.id)).toMatchObject(carried);
    const own = { reference: "order-8", metadata: {} };
    const other = await accept(await priced(), own);
    expect(other.body.reference).toBe("order-8");
    expect(await paid(other.body.id)).toMatchObject(own);
  });

  test("accept within 1800 seconds; after expires_at 400 quote_expired", async () => {
    const [early, late] = [await quote(), await quote()];
    service.clock.advance(1797);
    expect((await accept(early.id)).status).toBe(201);
    service.clock.advance(4);
    expectError(await accept(late.id), { code: "quote_expired" });
  });

  test("an already consumed quote: 400 quote_consumed, also past its time", async () => {
    const { id } = await quote();
    expect((await accept(id)).status).toBe(201);
    for (const seconds of [0, 1801]) {
      service.clock.advance(seconds);
      expectError(await accept(id), { code: "quote_consumed" });
    }
  });

  test("a quote of another tenant: 404 quote_not_found", async () => {
    const other = await service.createTenant();
    const refused = await new Api(service, other.testKey).post(`/v1/quotes/${(await quote()).id}/accept`, {
      name: "x",
    });
    expectError(refused, { status: 404, code: "quote_not_found" });
  });
});
