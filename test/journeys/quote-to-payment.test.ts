import { describe, expect, test } from "vitest";
import { overEachTransport } from "../support/transports.ts";

const transports = await overEachTransport({ payoutCurrency: "USD" });

describe.each(transports)("from quote to payment over the $kind transport", ({ tenant, api }) => {
  test("the price quoted is the price paid, reported and closed", async () => {
    const quote = await api.post("/v1/quotes", { amount: 10_000, currency: "USD", payment_method: "pix" });
    expect(quote.status).toBe(201);
    expect(quote.body).toMatchObject({
      tenant_id: tenant.id,
      mode: "test",
      payer_total: 55_136,
      receiver_net: 9771,
      fx: { rate: 5.513582, base: "USD", quote: "BRL" },
    });
    expect(quote.text).toContain('"rate":5.513582,');
    const link = await api.post(`/v1/quotes/${quote.body.id}/accept`, {
      name: "Shoes",
      reference: "order-1",
    });
    expect(link.status).toBe(201);
    expect(link.body).toMatchObject({ payer_total: 55_136, receiver_net: 9771, reference: "order-1" });
    const paid = await api.post(`/v1/payment_links/${link.body.id}/simulate_payment`, {
      outcome: "succeeded",
    });
    expect(paid.status).toBe(200);
    expect(paid.body).toMatchObject({
      link_id: link.body.id,
      status: "succeeded",
      amount: 55_136,
      gross_amount: 55_136,
      fee_amount: 229,
      net_amount: 9771,
      fx: quote.body.fx,
    });
    const read = await api.get(`/v1/payments/${paid.body.id}`);
    expect(read.text).toBe(paid.text);
    const day = new Date().toLocaleDateString("sv-SE", { timeZone: "America/Sao_Paulo" });
    const closed = await api.get(`/v1/payments?from=${day}&to=${day}`);
    expect(closed.text).toBe(`{"data":[${paid.text}],"has_more":false,"next_cursor":null}`);
  });
});
