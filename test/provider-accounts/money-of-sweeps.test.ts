import { describe, expect, test } from "vitest";
import { moneyBody } from "../../tools/bank/messages.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { advance, connectMerchant, passUntilNoon, startLive } from "./live-merchant.ts";

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());

const tasks = () => live.service.core.tasks;

describe("a sweep", () => {
  test("case 4: finds money whose callback and polls were lost", async () => {
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
    advance(live, 3700);
    await tasks().sweepProviders();
    expect(await merchant.status(paymentId)).toBe("succeeded");
  });

  test("case 9: registers money that belongs to no charge, and credits it to none", async () => {
    const [merchant, other] = [await connectMerchant(live), await connectMerchant(live)];
    const { paymentId, reference } = await other.start();
    const bare = live.bank.payKey(100n);
    const unknown = live.bank.payKey(200n, { txid: "u".repeat(30) });
    const { reference: own } = await merchant.start();
    const beside = live.bank.payKey(300n, { txid: own });
    advance(live, 3700);
    await tasks().sweepProviders();
    const { money } = await live.providers.listUnknownMoney({}, merchant.as);
    const found = new Map(money.map(({ endToEndId, txid, amount }) => [endToEndId, { txid, amount }]));
    expect(found.get(bare.endToEndId)).toEqual({ txid: undefined, amount: 100n });
    expect(found.get(unknown.endToEndId)).toEqual({ txid: "u".repeat(30), amount: 200n });
    expect(found.get(beside.endToEndId)).toEqual({ txid: own, amount: 300n });
    expect(await other.status(paymentId)).toBe("pending");
    expect(reference).not.toBe(own);
    expect((await live.service.core.providerStanding()).unknownCount).toBeGreaterThanOrEqual(money.length);
    live.service.faults.length = 0;
  });

  test("by hand returns what it read; one that fails is tried again, and its cursor stays", async () => {
    passUntilNoon(live);
    const merchant = await connectMerchant(live);
    live.bank.payKey(500n);
    advance(live, 120);
    const { moneyCount, unknownCount } = await live.providers.sweepProviderAccount(
      { id: merchant.accountId },
      merchant.as,
    );
    // The bank tells of the money that it received for this key, of other merchants of the test too.
    expect(unknownCount).toBeGreaterThan(0n);
    expect(moneyCount).toBeGreaterThanOrEqual(unknownCount);
    const cursor = async () =>
      await rows.read(
        "SELECT swept_to, due_at, failure_count FROM live.provider_sweep WHERE account_id = $1 AND kind = 'received'",
        [merchant.accountId],
      );
    const [before] = await cursor();
    await live.providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
    live.bank.fail("statement", { kind: "status", status: 503 }, 10);
    advance(live, 3700);
    await expect(
      live.providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as),
    ).rejects.toThrow("The provider did not answer");
    live.bank.faults.clear();
    const [after] = await cursor();
    expect(after?.["swept_to"]).toEqual(before?.["swept_to"]);
    expect(after?.["failure_count"]).toBe(1);
    live.service.faults.length = 0;
  });

  test("asks about a return of 91 days later by the money's own id where the list leaves out the txid", async () => {
    passUntilNoon(live);
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    const money = live.bank.pay(reference, 15_990n);
    advance(live, 60);
    await tasks().checkCharges();
    advance(live, 91 * 86_400);
    live.bank.returnByBank(money.endToEndId, 1000n, "MED_FRAUDE", { status: "DEVOLUCAO_MED" });
    advance(live, 86_400);
    const { txid: _, ...row } = moneyBody(money, "zulu", true);
    live.bank.faults.draw = (call, query) => {
      const isOfMoney =
        query.has("devolucaoPresente") &&
        Date.parse(query.get("inicio") ?? "") <= money.at.getTime() &&
        Date.parse(query.get("fim") ?? "") >= money.at.getTime();
      return call === "statement"
        ? { kind: "text", status: 200, text: JSON.stringify({ pix: isOfMoney ? [row] : [] }) }
        : undefined;
    };
    await live.providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
    live.bank.faults.draw = () => undefined;
    const kept = "SELECT amount_minor, status FROM live.refund WHERE payment_id = $1";
    expect(await rows.read(kept, [paymentId])).toMatchObject([{ amount_minor: "1000", status: "succeeded" }]);
  });

  test("that is cut goes on after the days that it has read", async () => {
    passUntilNoon(live);
    const merchant = await connectMerchant(live);
    advance(live, 120);
    const { faults, requests } = live.bank;
    const read = async () => {
      const before = requests.length;
      const swept = live.providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
      const failed = await swept.then(
        () => false,
        () => true,
      );
      const asked = requests.slice(before).filter(({ query }) => query["devolucaoPresente"] === "true");
      return { failed, days: asked.map(({ query }) => query["inicio"]) };
    };
    let count = 0;
    faults.draw = (call) =>
      call === "statement" && ++count > 41 ? { kind: "status", status: 503 } : undefined;
    const first = await read();
    expect([first.failed, first.days.length]).toEqual([true, 41]);
    faults.draw = () => undefined;
    const last = await read();
    expect([last.failed, last.days[0]]).toEqual([false, first.days.at(-1)]);
    expect(last.days.length).toBeGreaterThan(100 - 41);
    expect((await read()).days.length).toBeGreaterThanOrEqual(100);
    live.service.faults.length = 0;
  });
});
