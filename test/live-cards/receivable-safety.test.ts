import { afterEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { findCharge } from "../../src/checkout/repository.ts";
import { openDatabases } from "../../src/databases.ts";
import { NO_ENTRY } from "../../src/platform/audit-trail.ts";
import { Operations } from "../../src/platform/operation.ts";
import type { InstallmentFacts, SettlementFacts } from "../../src/providers/card-port.ts";
import { record } from "../../src/receivables/recording.ts";
import { checkLedger, entriesOf, written } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { PaidCard } from "./paid-card.ts";

const cards = await forFile(startCards());
const { service } = cards;
const merchant = await connectCards(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const { environments } = await forFile(openDatabases(service.databaseUrl, 60, () => undefined));
const wrong: object[] = [];
const deps = {
  environments,
  operations: new Operations({ clock: service.clock, environments, requireTenant: () => undefined }),
  clock: service.clock,
  log: { error: (details: object) => void wrong.push(details) },
  onWrongAnswer: () => undefined,
};

const OF_IT = "tenant_id = $1 AND payment_id = $2";

/** A paid card, and what its provider may say of it. */
class Told {
  readonly card: PaidCard;

  private constructor(card: PaidCard) {
    this.card = card;
  }

  static async pay(installments: number): Promise<Told> {
    return new Told(await PaidCard.pay(cards, merchant, installments));
  }

  get ids(): string[] {
    return [merchant.tenant.id, this.card.id];
  }

  /** What the provider says: nothing of its money has moved, but for the changes of the first installment. */
  facts(changes: Partial<InstallmentFacts> = {}): SettlementFacts {
    const installments = this.card.atProvider.map(({ valueMinor }, index) => ({
      installment: index + 1,
      grossMinor: valueMinor,
      feeMinor: 300n,
      anticipationFeeMinor: 0n,
      netMinor: valueMinor - 300n,
      refundedMinor: 0n,
      chargedBackMinor: 0n,
      dueOn: "2027-01-04",
      paidOn: null,
      ...(index === 0 ? changes : {}),
    }));
    return { installments, disputes: [] };
  }

  async record(facts: SettlementFacts): Promise<boolean> {
    const [tenantId = "", paymentId = ""] = this.ids;
    const charge = await findCharge(environments.live, tenantId, { paymentId });
    if (!charge) throw new Error("there is no charge");
    const call = {
      tenantId,
      mode: "live",
      requestId: "req",
      idempotencyKey: undefined,
      audit: NO_ENTRY,
    } as const;
    return await record(deps, call, charge, facts);
  }

  /** How many facts and entries of them there are. */
  async counts(): Promise<number[]> {
    const entries = `live.ledger_entry WHERE ${OF_IT} AND kind NOT IN ('payment', 'settlement')`;
    return await Promise.all(
      [`live.receivable_fact WHERE ${OF_IT}`, entries].map((from) => rows.count(from, this.ids)),
    );
  }
}

const problemsOf = async ({ card }: Told) =>
  (await checkLedger(service, Mode.LIVE)).problems.filter(({ paymentId }) => paymentId === card.id);

describe("what a provider says", () => {
  test("by many readers at once is written once", async () => {
    const told = await Told.pay(5);
    await Promise.all(Array.from({ length: 8 }, () => told.record(told.facts())));
    expect(await told.counts()).toEqual([10, 10]);
    await told.record(told.facts());
    expect(await told.counts()).toEqual([10, 10]);
  });

  test("is written whole or not at all, when a process ends in between", async () => {
    const told = await Told.pay(2);
    await rows.run(
      "ALTER TABLE live.ledger_line ADD CONSTRAINT ended CHECK (account <> 'provider_fee') NOT VALID",
    );
    try {
      await expect(told.record(told.facts())).rejects.toThrow("ended");
    } finally {
      await rows.run("ALTER TABLE live.ledger_line DROP CONSTRAINT ended");
    }
    expect(await told.counts()).toEqual([0, 0]);
    await told.record(told.facts());
    expect(await told.counts()).toEqual([4, 4]);
    expect(await problemsOf(told)).toEqual([]);
  });

  test("otherwise than before is a further entry, and the earlier one stays", async () => {
    const told = await Told.pay(1);
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
    expect(await told.counts()).toEqual([4, 3]);
    expect(await problemsOf(told)).toEqual([]);
    await expect(rows.run("UPDATE live.receivable_fact SET number = number")).rejects.toThrow("append-only");
  });

  test.each<[string, Partial<InstallmentFacts>]>([
    ["that is another price", { grossMinor: 1_000_000n, netMinor: 999_700n }],
    ["whose net and fees are not its gross", { feeMinor: 299n }],
    ["of the same installment twice", { installment: 2 }],
    ["below 0", { refundedMinor: -1n }],
  ])("%s is refused, reported, and writes nothing", async (_, changes) => {
    const told = await Told.pay(2);
    wrong.splice(0);
    expect(await told.record(told.facts(changes))).toBe(false);
    expect(wrong).toMatchObject([{ payment_id: told.card.id, account_id: merchant.accountId }]);
    expect(await told.counts()).toEqual([0, 0]);
  });
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
  async function booked(): Promise<Told> {
    const told = await Told.pay(2);
    const gross = told.card.atProvider[0]?.valueMinor ?? 0n;
    const back = { anticipationFeeMinor: 77n, refundedMinor: 500n, chargedBackMinor: 600n };
    await told.record(told.facts({ ...back, netMinor: gross - 377n, paidOn: "2027-01-04" }));
    expect(await problemsOf(told)).toEqual([]);
    expect(new Set((await entriesOf(merchant, told.card.id)).map(({ kind }) => kind)).size).toBe(7);
    await rows.run("SET session_replication_role = replica");
    return told;
  }
  afterEach(async () => await rows.run("SET session_replication_role = DEFAULT"));

  const codesOf = async (told: Told) => (await problemsOf(told)).map(({ code }) => code);

  test.each(KINDS)("another amount of a %s, in an entry that balances", async (kind) => {
    const told = await booked();
    await rows.run(
      `UPDATE live.ledger_line SET debit_minor = debit_minor * 2, credit_minor = credit_minor * 2
        WHERE ${OF_IT} AND kind = '${kind}' AND source_id = '01.1'`,
      told.ids,
    );
    expect(await codesOf(told)).toEqual(["wrong_amount"]);
  });

  test.each(KINDS)("a %s that is not in the books, and one that no provider said", async (kind) => {
    const [told, other] = [await booked(), await booked()];
    for (const table of ["line", "entry"]) {
      await rows.run(`DELETE FROM live.ledger_${table} WHERE ${OF_IT} AND kind = '${kind}'`, told.ids);
    }
    expect(await codesOf(told)).toContain("missing_entry");
    await rows.run(`DELETE FROM live.receivable_fact WHERE ${OF_IT} AND kind = '${kind}'`, other.ids);
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
      told.ids,
    );
    await rows.run(
      `UPDATE live.ledger_line SET debit_minor = debit_minor + (debit_minor > 0)::int,
          credit_minor = credit_minor + (credit_minor > 0)::int
        WHERE ${OF_IT} AND kind = '${kind}' AND source_id = '01.1'`,
      told.ids,
    );
    expect(new Set(await codesOf(told))).toEqual(new Set(["wrong_receivable"]));
  });
});
