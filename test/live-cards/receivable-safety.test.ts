import { Code, createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { InstallmentFacts } from "../../src/providers/card-port.ts";
import { checkLedger, entriesOf, written } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { KillableCore } from "../live-pix/killable-core.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { DAY, days as passDays } from "./paid-card.ts";
import { SaidCards, type SaidCard } from "./said-card.ts";

const cards = await forFile(startCards());
const { service } = cards;
const merchant = await connectCards(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const saying = await forFile(SaidCards.open(cards, merchant));
const { wrong } = saying;

const DISPUTE = {
  id: "dispute-1",
  installment: 1,
  amountMinor: 100n,
  status: "needs_response",
  reason: null,
  openedOn: null,
  respondBy: null,
} as const;
// After it another worker takes what a killed one had.
const LEASE_SECONDS = 901;
const OF_IT = "tenant_id = $1 AND payment_id = $2";

/** How many facts of a payment there are, and how many entries of them. */
async function counts({ ids }: Pick<SaidCard, "ids">): Promise<number[]> {
  const entries = `live.ledger_entry WHERE ${OF_IT} AND kind NOT IN ('payment', 'settlement')`;
  return await Promise.all(
    [`live.receivable_fact WHERE ${OF_IT}`, entries].map((from) => rows.count(from, [...ids])),
  );
}

const problemsOf = async ({ card }: SaidCard) =>
  (await checkLedger(service, Mode.LIVE)).problems.filter(({ paymentId }) => paymentId === card.id);

describe("what a provider says", () => {
  test("by many readers at once is written once", async () => {
    const told = await saying.pay(5);
    await Promise.all(Array.from({ length: 8 }, () => told.record(told.facts())));
    expect(await counts(told)).toEqual([10, 10]);
    await told.record(told.facts());
    expect(await counts(told)).toEqual([10, 10]);
  });

  test("is written whole or not at all, when a process ends in between", async () => {
    const told = await saying.pay(2);
    await rows.run(
      "ALTER TABLE live.ledger_line ADD CONSTRAINT ended CHECK (account <> 'provider_fee') NOT VALID",
    );
    try {
      await expect(told.record(told.facts())).rejects.toThrow("ended");
    } finally {
      await rows.run("ALTER TABLE live.ledger_line DROP CONSTRAINT ended");
    }
    expect(await counts(told)).toEqual([0, 0]);
    await told.record(told.facts());
    expect(await counts(told)).toEqual([4, 4]);
    expect(await problemsOf(told)).toEqual([]);
  });

  test.each(["receivable_fact", "ledger_entry"])(
    "is written once, by the worker after one that was killed within its write of a %s",
    async (table) => {
      const { card, ids } = await saying.pay(3);
      const core = await KillableCore.start(service, rows);
      await core.stops.at("INSERT", table, { payment_id: card.id, kind: "provider_fee" });
      void core.run("readReceivables");
      await core.kill();
      await passDays(cards, 0);
      expect(await card.receivables()).toEqual([]);
      await passDays(cards, LEASE_SECONDS / DAY);
      expect(await counts({ ids })).toEqual([6, 6]);
      expect(await card.receivables()).toHaveLength(3);
      expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
    },
  );

  test("otherwise than before is a further entry, and the earlier one stays", async () => {
    const told = await saying.pay(1);
    const gross = told.card.atProvider[0]?.valueMinor ?? 0n;
    await told.record(told.facts());
    const before = await entriesOf(merchant, told.card.id);
    await told.record(told.facts({ feeMinor: 250n, netMinor: gross - 250n, dueOn: "2027-01-05" }));
    const after = await entriesOf(merchant, told.card.id);
    expect(after.filter(({ sourceId }) => sourceId !== "01.2")).toEqual(before);
    expect(after.filter(({ sourceId }) => sourceId === "01.2").map(written)).toEqual([
      ["provider_fee:BRL Cr 50", "provider_receivable:BRL Dr 50"],
    ]);
    expect(await told.card.receivables()).toMatchObject([{ providerFee: 250n, expectedOn: "2027-01-05" }]);
    // The day alone moved: a fact without an entry.
    expect(await counts(told)).toEqual([4, 3]);
    expect(await problemsOf(told)).toEqual([]);
    await expect(rows.run("UPDATE live.receivable_fact SET number = number")).rejects.toThrow("append-only");
  });

  test.each<[string, Partial<InstallmentFacts>]>([
    ["that is another price", { grossMinor: 1_000_000n, netMinor: 999_700n }],
    ["whose net and fees are not its gross", { feeMinor: 299n }],
    ["of the same installment twice", { installment: 2 }],
    ["below 0", { refundedMinor: -1n }],
  ])("%s is refused, reported, and writes nothing", async (_, changes) => {
    const told = await saying.pay(2);
    wrong.splice(0);
    expect(await told.record(told.facts(changes))).toBe(false);
    expect(wrong).toMatchObject([{ payment_id: told.card.id, account_id: merchant.accountId }]);
    expect(await counts(told)).toEqual([0, 0]);
  });
});

test("another tenant sees nothing of it", async () => {
  const told = await saying.pay(1);
  await told.record({ ...told.facts(), disputes: [DISPUTE] });
  expect(await told.card.disputes()).toMatchObject([{ installment: 1, amount: 100n }]);
  const { ledger, as } = await createMerchant(service, {}, "live");
  const refunds = createClient(RefundsService, service.core.transport);
  const paymentId = told.card.id;
  const unknown = { code: Code.NotFound };
  await expect(ledger.listReceivables({ paymentId }, as)).rejects.toMatchObject(unknown);
  await expect(refunds.listDisputes({ paymentId }, as)).rejects.toMatchObject(unknown);
  expect((await refunds.listDisputes({}, as)).disputes).toEqual([]);
});

test("disputes are listed in pages, newest first, and those that can still be answered apart", async () => {
  const told = await saying.pay(1);
  const today = dayAt(service.clock.nowMs());
  const respondBy = [-1, 0, 1].map((days) => today.add({ days }).toString());
  const disputes = respondBy.map((day, index) => ({ ...DISPUTE, id: `page-${index}`, respondBy: day }));
  await told.record({ ...told.facts(), disputes });
  const refunds = createClient(RefundsService, service.core.transport);
  const paymentId = told.card.id;
  const seen: (string | undefined)[] = [];
  for (let after: string | undefined; ;) {
    const cursor = after === undefined ? {} : { startingAfter: after };
    const page = await refunds.listDisputes({ paymentId, limit: 2, ...cursor }, merchant.as);
    seen.push(...page.disputes.map((dispute) => dispute.respondBy));
    if (!page.hasMore) break;
    after = page.nextCursor;
  }
  expect(seen).toEqual(respondBy.toReversed());
  const answerable = await refunds.listDisputes({ paymentId, needsResponse: true }, merchant.as);
  expect(answerable.disputes.map((dispute) => dispute.respondBy)).toEqual(respondBy.slice(1).toReversed());
  await told.record({
    ...told.facts(),
    disputes: disputes.map((one) => ({ ...one, status: "lost" as const })),
  });
  expect((await refunds.listDisputes({ paymentId, needsResponse: true }, merchant.as)).disputes).toEqual([]);
});

describe("the check of the books finds", () => {
  const KINDS = [
    "receivable",
    "provider_fee",
    "anticipation",
    "payout",
    "chargeback",
    "refund_deduction",
  ] as const;

  /** A card of which each kind is booked, and whose books are clean. */
  async function booked(): Promise<SaidCard> {
    const told = await saying.pay(2);
    const gross = told.card.atProvider[0]?.valueMinor ?? 0n;
    const back = { anticipationFeeMinor: 77n, refundedMinor: 500n, chargedBackMinor: 600n };
    await told.record(told.facts({ ...back, netMinor: gross - 377n, paidOn: "2027-01-04" }));
    expect(await problemsOf(told)).toEqual([]);
    expect(new Set((await entriesOf(merchant, told.card.id)).map(({ kind }) => kind)).size).toBe(7);
    await rows.run("SET session_replication_role = replica");
    return told;
  }
  afterEach(async () => await rows.run("SET session_replication_role = DEFAULT"));

  const codesOf = async (told: SaidCard) => (await problemsOf(told)).map(({ code }) => code);

  test.each(KINDS)("another amount of a %s, in an entry that balances", async (kind) => {
    const told = await booked();
    await rows.run(
      `UPDATE live.ledger_line SET debit_minor = debit_minor * 2, credit_minor = credit_minor * 2
        WHERE ${OF_IT} AND kind = '${kind}' AND source_id = '01.1'`,
      [...told.ids],
    );
    expect(await codesOf(told)).toEqual(["wrong_amount"]);
  });

  test.each(KINDS)("a %s that is not in the books, and one that no provider said", async (kind) => {
    const [told, other] = [await booked(), await booked()];
    for (const table of ["line", "entry"]) {
      await rows.run(`DELETE FROM live.ledger_${table} WHERE ${OF_IT} AND kind = '${kind}'`, [...told.ids]);
    }
    expect(await codesOf(told)).toContain("missing_entry");
    await rows.run(`DELETE FROM live.receivable_fact WHERE ${OF_IT} AND kind = '${kind}'`, [...other.ids]);
    expect(await codesOf(other)).toContain("unexpected_entry");
  });

  test.each([
    ["installments that are not the price", "receivable"],
    ["a payout that is not what was left", "payout"],
    ["a fee that does not leave the payout", "provider_fee"],
  ])("%s, where facts and entries agree", async (_, kind) => {
    const told = await booked();
    await rows.run(
      `UPDATE live.receivable_fact SET amount_minor = amount_minor + 1
        WHERE ${OF_IT} AND kind = '${kind}' AND installment = 1`,
      [...told.ids],
    );
    await rows.run(
      `UPDATE live.ledger_line SET debit_minor = debit_minor + (debit_minor > 0)::int,
          credit_minor = credit_minor + (credit_minor > 0)::int
        WHERE ${OF_IT} AND kind = '${kind}' AND source_id = '01.1'`,
      [...told.ids],
    );
    expect(new Set(await codesOf(told))).toEqual(new Set(["wrong_receivable"]));
  });
});
