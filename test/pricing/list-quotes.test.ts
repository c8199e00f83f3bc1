import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PricingService, QuoteStatus, type StoredQuote } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../contract/ids.ts";
import type { Answer } from "../support/api.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);

async function quote(merchant: Merchant, body: object = {}): Promise<Answer["body"]> {
  const wanted = { amount: 15_990, currency: "BRL", payment_method: "pix", ...body };
  return (await merchant.api.post("/v1/quotes", wanted)).body;
}

const idsOf = (data: readonly StoredQuote[]): (string | undefined)[] => data.map(({ quote: one }) => one?.id);

async function listed(merchant: Merchant, request: object = {}): Promise<(string | undefined)[]> {
  return idsOf((await pricing.listQuotes(request, merchant.as)).data);
}

describe("a stored quote", () => {
  test("is as it was answered, with more columns of its price, and its link once it is accepted", async () => {
    const merchant = await createMerchant(service, { payoutCurrency: "USD" });
    const made = await quote(merchant, {
      payment_method: "card",
      installments: 7,
      fee_handling: "pass_through",
    });
    const read = (await pricing.getQuote({ id: made.id }, merchant.as)).quote;
    expect(read?.quote).toMatchObject({
      id: made.id,
      payerTotal: BigInt(made.payer_total),
      receiverNet: BigInt(made.receiver_net),
      signature: made.signature,
      ruleId: made.rule_id,
      installments: 7,
    });
    expect(read?.details).toMatchObject({ status: QuoteStatus.OPEN, amount: 15_990n, currency: "BRL" });
    const { firstInstallment = 0n, otherInstallment = 0n } = read?.details ?? {};
    expect(firstInstallment + 6n * otherInstallment).toBe(read?.quote?.payerTotal);
    const { breakdown } = read?.quote ?? {};
    expect(read?.details?.grossAmount).toBe(
      (read?.details?.netAmount ?? 0n) + (breakdown?.totalFee?.amount ?? 0n),
    );
    const accept = { name: "Shoes", reference: "order-7" };
    const { body: link } = await merchant.api.post(`/v1/quotes/${made.id}/accept`, accept);
    const after = (await pricing.getQuote({ id: made.id }, merchant.as)).quote;
    expect(after?.quote).toEqual(read?.quote);
    expect(after?.details).toMatchObject({
      status: QuoteStatus.CONSUMED,
      linkId: link.id,
      reference: "order-7",
    });
    expect(after?.details?.consumedAt).toBeDefined();
  });

  test("is unknown to another tenant, in another mode, and for an invalid id", async () => {
    const [merchant, other] = [await createMerchant(service), await createMerchant(service)];
    const { id } = await quote(merchant);
    const live = { headers: { ...merchant.as.headers, "paylink-mode": "live" } };
    const notFound = { status: "NotFound", code: "quote_not_found", param: undefined };
    for (const as of [other.as, live])
      expect(await refusalOf(pricing.getQuote({ id }, as))).toMatchObject(notFound);
    for (const unknown of [newId("qt"), newId("pl"), "nonsense", ""])
      expect(await refusalOf(pricing.getQuote({ id: unknown }, merchant.as))).toMatchObject(notFound);
    expect(await listed(other)).toEqual([]);
    expect(idsOf((await pricing.listQuotes({}, live)).data)).toEqual([]);
    expect(await listed(other, { query: id })).toEqual([]);
  });
});

describe("the list of quotes", () => {
  test("is newest first, in pages that leave nothing out and repeat nothing", async () => {
    const merchant = await createMerchant(service);
    const made: string[] = [];
    for (let index = 0; index < 7; index++) {
      made.push((await quote(merchant)).id);
      if (index % 3 === 2) service.clock.advance(1);
    }
    const read: (string | undefined)[] = [];
    let startingAfter: string | undefined;
    do {
      const page = await pricing.listQuotes(
        { limit: 2, ...(startingAfter === undefined ? {} : { startingAfter }) },
        merchant.as,
      );
      expect(page.hasMore).toBe(page.nextCursor !== undefined);
      read.push(...idsOf(page.data));
      startingAfter = page.nextCursor;
    } while (startingAfter !== undefined);
    expect(read).toEqual(made.toReversed());
    const refused = { status: "InvalidArgument", code: "invalid_request", param: "starting_after" };
    for (const bad of [newId("qt"), "nonsense", ""])
      expect(await refusalOf(pricing.listQuotes({ startingAfter: bad }, merchant.as))).toMatchObject(refused);
  });

  test("by their current status, to the second in which a quote can no longer be accepted", async () => {
    const merchant = await createMerchant(service);
    const [open, taken] = [await quote(merchant), await quote(merchant)];
    await merchant.api.post(`/v1/quotes/${taken.id}/accept`, { name: "Shoes" });
    expect(await listed(merchant, { status: QuoteStatus.OPEN })).toEqual([open.id]);
    expect(await listed(merchant, { status: QuoteStatus.CONSUMED })).toEqual([taken.id]);
    expect(await listed(merchant, { status: QuoteStatus.EXPIRED })).toEqual([]);
    service.clock.set(new Date(Number(open.expires_at) * 1000));
    expect(await listed(merchant, { status: QuoteStatus.OPEN })).toEqual([open.id]);
    expect(await listed(merchant, { status: QuoteStatus.EXPIRED })).toEqual([]);
    service.clock.advance(1);
    expect(await listed(merchant, { status: QuoteStatus.OPEN })).toEqual([]);
    expect(await listed(merchant, { status: QuoteStatus.EXPIRED })).toEqual([open.id]);
    expect(await listed(merchant, { status: QuoteStatus.CONSUMED })).toEqual([taken.id]);
  });

  test("by the id of quote, intent or link, and by a part of its link's reference", async () => {
    const merchant = await createMerchant(service);
    const wanted = { amount: 15_990, currency: "BRL" };
    const { body: intent } = await merchant.api.post("/v1/payment_intents", wanted);
    const ofIntent = { payment_method: "pix", payment_intent_id: intent.id };
    const { body: priced } = await merchant.api.post("/v1/quotes", ofIntent);
    const [taken, plain] = [await quote(merchant), await quote(merchant)];
    const accept = { name: "Shoes", reference: "Pedido 100%_7" };
    const { body: link } = await merchant.api.post(`/v1/quotes/${taken.id}/accept`, accept);
    expect(await listed(merchant, { query: plain.id })).toEqual([plain.id]);
    expect(await listed(merchant, { query: intent.id })).toEqual([priced.id]);
    for (const query of [link.id, "pedido", "100%_", ` ${String(link.id)} `, "\0PEDIDO"])
      expect(await listed(merchant, { query })).toEqual([taken.id]);
    for (const query of ["100%%", "Pedido__", "Shoes", "\\"])
      expect(await listed(merchant, { query })).toEqual([]);
  });
});
