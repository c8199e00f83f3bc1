import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { longestStopMs } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { advance, connectMerchant, startLive } from "./live-merchant.ts";

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
const { providers, bank, service } = live;
// Of all 10,000 amounts at once it is some 500 ms, in parts some 30.
const STOP_MS_MAX = 200;
const openCount = async (): Promise<number> => (await service.core.providerStanding()).unknownCount;

describe("money that belongs to no charge", () => {
  test("leaves the open list and the metric once it is settled, and nothing is credited", async () => {
    const merchant = await connectMerchant(live);
    const { accountId, as } = merchant;
    const { paymentId, reference } = await merchant.start();
    const { endToEndId } = bank.payKey(15_990n, { txid: reference });
    advance(live, 120);
    await providers.sweepProviderAccount({ id: accountId }, as);
    service.faults.length = 0;
    const before = await openCount();
    const asked = { accountId, endToEndId, note: "Sent back at the bank." };
    const { money } = await providers.settleUnknownMoney(asked, as);
    expect(money).toMatchObject({ endToEndId, amount: 15_990n, note: asked.note, settledBy: "core" });
    expect(await openCount()).toBe(before - 1);
    expect((await providers.listUnknownMoney({}, as)).money).toEqual([]);
    expect((await providers.listUnknownMoney({ isSettled: true }, as)).money).toEqual([money]);
    expect(await merchant.status(paymentId)).toBe("pending");
    expect(await rows.count("live.ledger_entry WHERE payment_id = $1", [paymentId])).toBe(0);
    // The next reading names it again.
    advance(live, 120);
    await providers.sweepProviderAccount({ id: accountId }, as);
    expect(await openCount()).toBe(before - 1);

    const again = await providers.settleUnknownMoney({ ...asked, note: "Another note." }, as);
    expect(again.money).toEqual(money);
    for (const change of ["settlement_note = 'x'", "settled_at = NULL", "amount_minor = 1"]) {
      const sql = `UPDATE live.unknown_money SET ${change} WHERE end_to_end_id = $1`;
      await expect(rows.run(sql, [endToEndId])).rejects.toThrow("kept as it is");
    }
    const remove = rows.run("DELETE FROM live.unknown_money WHERE end_to_end_id = $1", [endToEndId]);
    await expect(remove).rejects.toThrow("append-only");
  });

  test("cannot be settled where there is none, nor without a note or with a long one", async () => {
    const [{ accountId, as }, other] = [await connectMerchant(live), await connectMerchant(live)];
    const refused = async (given: object) =>
      await providers
        .settleUnknownMoney({ accountId, endToEndId: "E1", note: "x", ...given }, as)
        .catch(({ code }: { code: Code }) => code);
    expect(await refused({})).toBe(Code.NotFound);
    expect(await refused({ accountId: "pac_nope" })).toBe(Code.NotFound);
    expect(await refused({ note: "" })).toBe(Code.InvalidArgument);
    expect(await refused({ note: "x".repeat(141) })).toBe(Code.InvalidArgument);
    await rows.run(
      `INSERT INTO live.unknown_money
          (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at, resolved_at)
        SELECT tenant_id, id, 'E1', 1, now(), now(), now() FROM live.provider_account WHERE id = $1`,
      [accountId],
    );
    expect(await refused({})).toBe(Code.NotFound);
    const { as: stranger } = await createMerchant(service, {}, "live");
    expect((await providers.listUnknownMoney({}, stranger)).money).toEqual([]);
    expect((await providers.listUnknownMoney({ isSettled: true }, other.as)).money).toEqual([]);
  });

  test("beyond 10,000 open amounts is said once a sweep, however many parts of a statement have some", async () => {
    const { accountId, as } = await connectMerchant(live);
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
        SELECT tenant_id, id, 'E' || number, 1, created_at, created_at
        FROM live.provider_account, generate_series(1, 9999) AS number WHERE id = $1`,
      [accountId],
    );
    for (let count = 0; count < 401; count++) bank.payKey(100n);
    advance(live, 120);
    service.faults.length = 0;
    const { unknownCount } = await providers.sweepProviderAccount({ id: accountId }, as);
    expect(unknownCount).toBeGreaterThanOrEqual(401n);
    const said = service.faults.splice(0) as { account_id?: string; count?: number }[];
    expect(said.filter(({ account_id }) => account_id === accountId)).toHaveLength(1);
    expect(said.flatMap(({ count }) => count ?? [])).toEqual([1]);
    const open = "live.unknown_money WHERE account_id = $1";
    expect(await rows.count(open, [accountId])).toBe(10_000);
  });

  test("10,000 amounts are compared in parts, and those that a charge has by now are found among them", async () => {
    const merchant = await connectMerchant(live);
    const { accountId, as } = merchant;
    const { paymentId, reference } = await merchant.start();
    const { endToEndId } = bank.pay(reference, 15_990n);
    advance(live, 60);
    await service.core.tasks.checkCharges();
    expect(await merchant.status(paymentId)).toBe("succeeded");
    // As if a sweep had read it before its charge was asked about.
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, txid, amount_minor, received_at, created_at)
        SELECT tenant_id, account.id, named.id, named.txid, 1, created_at, created_at
        FROM live.provider_account AS account,
          (SELECT 'E0' || number, NULL FROM generate_series(1, 9999) AS number UNION ALL SELECT $2, $3) AS named (id, txid)
        WHERE account.id = $1`,
      [accountId, endToEndId, reference],
    );
    const stopMs = await longestStopMs(
      async () => await providers.sweepProviderAccount({ id: accountId }, as),
    );
    // The key's other money, of the tests before.
    service.faults.length = 0;
    expect(stopMs).toBeLessThan(STOP_MS_MAX);
    const ofAccount = "live.unknown_money WHERE account_id = $1 AND resolved_at IS";
    expect(await rows.count(`${ofAccount} NULL AND end_to_end_id LIKE 'E0%'`, [accountId])).toBe(9999);
    expect(await rows.count(`${ofAccount} NOT NULL AND end_to_end_id = $2`, [accountId, endToEndId])).toBe(1);
  });
});
