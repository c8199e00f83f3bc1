import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { expectSound, PricedSessions } from "./priced-sessions.ts";

const payers = await PricedSessions.forFile();
const { service, rows, merchant, abroad } = payers;

const DAY_SECONDS = 86_400;

describe("a day after their end", () => {
  const past = async (): Promise<void> => {
    service.clock.advance(900 + DAY_SECONDS);
    await service.core.tasks.removePast();
  };

  test("sessions without a payment are gone with prices and rates; one with a payment keeps all it showed", async () => {
    await past();
    const linkId = await abroad.newLink({ campaign: true, currency: "USD", max_installments: 12 });
    const before = await rows.countAll("test");
    await payers.openAll(linkId, 20);
    service.clock.advance(10);
    const [late, failed, paid] = await payers.openAll(linkId, 3);
    const { paymentId } = (await late?.payer.start()) ?? { paymentId: "" };
    await failed?.payer.start();
    await failed?.payer.simulate(SandboxAction.DECLINE);
    await paid?.payer.payByPix();
    service.clock.advance(1000);
    await service.core.tasks.checkCharges();
    await service.core.tasks.removePast();
    expect(await rows.count("test.checkout_session WHERE link_id = $1", [linkId])).toBe(24);
    await past();
    const kept = await rows.read("SELECT id FROM test.checkout_session WHERE link_id = $1 ORDER BY id", [
      linkId,
    ]);
    const expected = [late, failed, paid].map((one) => one?.payer.sessionId ?? "").toSorted();
    expect(kept.map(({ id }) => id)).toEqual(expected);
    const after = await rows.countAll("test");
    const lists = await payers.countLists(linkId);
    expect(after["price_list"]).toBe((before["price_list"] ?? 0) + lists);
    expect(after["price"]).toBe((before["price"] ?? 0) + 13 * lists);
    expect(after["fx_rate_history"]).toBe((before["fx_rate_history"] ?? 0) + lists);
    expect(after["checkout_option"]).toBe((before["checkout_option"] ?? 0) + 13 * lists);
    // Money for a payment that ended unpaid may still come: it finds payment, price and session.
    const receipt = await late?.payer.receipt(
      paymentId.replace("_", ""),
      late.session.options[0]?.payerTotal ?? 0n,
    );
    expect(receipt?.exceptionId).toMatch(/^exc_/);
    expect((await late?.payer.session())?.payment?.hasException).toBe(true);
    await expectSound(service);
  });

  test("the price of a quote stays after the sessions that showed it", async () => {
    const body = { amount: 15_990, currency: "BRL", payment_method: "pix" };
    const { body: quote } = await merchant.api.post("/v1/quotes", body);
    const { body: link } = await merchant.api.post(`/v1/quotes/${quote.id}/accept`, { name: "Shoes" });
    await payers.openAll(link.id, 2);
    expect(await payers.countLists(link.id)).toBe(1);
    await past();
    expect(await payers.countLists(link.id)).toBe(0);
    const priced =
      "test.quote q JOIN test.price p ON p.tenant_id = q.tenant_id AND p.id = q.price_id WHERE q.id = $1";
    expect(await rows.count(priced, [quote.id])).toBe(1);
  });

  test("a list that is shown anew at that very moment stays whole, and nothing fails", async () => {
    const linkId = await merchant.newLink({ campaign: true, max_installments: 3 });
    for (let round = 0; round < 5; round++) {
      await payers.openAll(linkId, 4);
      service.clock.advance(900 + DAY_SECONDS);
      const removing = [service.core.tasks.removePast(), service.core.tasks.removePast()];
      const [opened] = await Promise.all([payers.openAll(linkId, 16), ...removing]);
      for (const { payer } of opened) expect((await payer.session()).options).toHaveLength(4);
    }
    await past();
    expect(await payers.countLists(linkId)).toBe(0);
  });

  test.each(["price", "fx_rate_history"])("no other transaction deletes or changes a %s", async (table) => {
    await payers.openAll(await abroad.newLink({ currency: "USD" }), 1);
    const refused = new RegExp(`${table} is append-only`);
    await expect(rows.run(`DELETE FROM test.${table}`)).rejects.toThrow(refused);
    await expect(rows.run(`UPDATE test.${table} SET rate_micros = 1`)).rejects.toThrow(refused);
    await expect(rows.run(`TRUNCATE test.${table} CASCADE`)).rejects.toThrow("append-only");
    // Nor does the removal's own word help against what refers to the row.
    await rows.run("SET paylink.removal TO 'past sessions'");
    await expect(rows.run(`DELETE FROM test.${table}`)).rejects.toThrow(/foreign key|refers to/);
    await rows.run("RESET paylink.removal");
  });
});
