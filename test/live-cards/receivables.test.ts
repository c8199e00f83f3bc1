import { beforeEach, describe, expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerEntryKind } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DisputeStatus } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { checkLedger, entriesOf, kindsOf, written } from "../ledger/book-keeper.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, connectCards, pass, startCards, type CardMerchant } from "./card-merchant.ts";
import { DAY, days, PaidCard, providerBalances } from "./paid-card.ts";

// Each test has an account at the provider: its balance begins at nothing, as the books of its tenant do.
const keys = Array.from({ length: 12 }, (_, index) => `${API_KEY}${index}`);
const cards = await forFile(startCards(keys));
const { asaas, service } = cards;
const PAID_BY = "SELECT card_brand AS brand, card_last_four AS digits FROM live.charge WHERE payment_id = $1";
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const sum = (minors: readonly bigint[]): bigint => minors.reduce((total, minor) => total + minor, 0n);
const problems = async () => (await checkLedger(service, Mode.LIVE)).problems;

let merchant: CardMerchant;
let key: string;
/** The merchant's balance at the provider, as the provider has it. */
const atProvider = (): bigint => asaas.account(key).lines.at(-1)?.balanceMinor ?? 0n;
beforeEach(async () => {
  key = keys.pop() ?? "";
  merchant = await connectCards(cards, key);
});

describe("what a card provider owes", () => {
  test("is known by installment once it is paid, is the price together, and changes neither price nor net", async () => {
    const card = await PaidCard.pay(cards, merchant, 21);
    const [before, entry] = [await merchant.read(card.id), (await entriesOf(merchant, card.id))[0]];
    expect(await card.receivables()).toEqual([]);
    await days(cards, 0);
    const receivables = await card.receivables();
    expect(receivables.map(({ installment }) => installment)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
    expect(sum(receivables.map(({ gross }) => gross))).toBe(BigInt(Number(before["amount"])));
    for (const [index, { gross, providerFee, outstanding, expectedOn }] of receivables.entries()) {
      const payment = card.atProvider[index];
      expect([gross, providerFee, expectedOn]).toEqual([
        payment?.valueMinor,
        payment?.feeMinor,
        payment?.creditOn,
      ]);
      expect(outstanding).toBe(gross - providerFee);
    }
    expect(await rows.read(PAID_BY, [card.id])).toEqual([{ brand: "visa", digits: "4444" }]);
    const entries = await entriesOf(merchant, card.id);
    expect(entries[0]).toEqual(entry);
    expect(await merchant.read(card.id)).toEqual(before);
    expect(new Set((await kindsOf(merchant, card.id)).slice(1))).toEqual(
      new Set(["receivable", "provider_fee"]),
    );
    const second = entries.filter(({ sourceId }) => sourceId === "02.1").map(written);
    const [gross, fee] = [receivables[1]?.gross, receivables[1]?.providerFee];
    expect(second).toContainEqual([
      `provider_clearing:BRL Cr ${gross}`,
      `provider_receivable:BRL Dr ${gross}`,
    ]);
    expect(second).toContainEqual([`provider_fee:BRL Dr ${fee}`, `provider_receivable:BRL Cr ${fee}`]);
    expect(await problems()).toEqual([]);
  });

  test("reaches the balance on its days, to the centavo of the provider's own, and is then not asked about", async () => {
    const card = await PaidCard.pay(cards, merchant, 3);
    await days(cards, 0);
    const feeMinor = sum(card.atProvider.map((payment) => payment.feeMinor));
    const grossMinor = sum(card.atProvider.map(({ valueMinor }) => valueMinor));
    for (let day = 0; day < 40; day += 8) await days(cards, 8);
    const [first, second] = await card.receivables();
    expect(first).toMatchObject({
      outstanding: 0n,
      payout: (first?.gross ?? 0n) - (first?.providerFee ?? 0n),
    });
    expect(first?.paidOutOn).toBe(card.atProvider[0]?.receivedOn);
    expect(second).toMatchObject({ payout: 0n });
    expect(second?.paidOutOn).toBeUndefined();
    for (let day = 0; day < 80; day += 8) await days(cards, 8);
    expect(await providerBalances(merchant)).toEqual({
      provider_balance: grossMinor - feeMinor,
      provider_fee: feeMinor,
    });
    expect(atProvider()).toBe(grossMinor - feeMinor);
    const [receivable, fee, , , , payout, outstanding] = await card.providerLines();
    expect([receivable, fee, payout, outstanding]).toEqual([grossMinor, feeMinor, grossMinor - feeMinor, 0n]);
    const asked = card.askedCount;
    await days(cards, 30);
    expect(card.askedCount).toBe(asked);
    expect(await problems()).toEqual([]);
  });

  test("is asked about on its days and once a week, not at each round of the worker", async () => {
    const card = await PaidCard.pay(cards, merchant, 2);
    await days(cards, 0);
    const asked = card.askedCount;
    for (let hour = 0; hour < 24; hour += 8) await days(cards, 1 / 3);
    expect(card.askedCount).toBe(asked);
    await days(cards, 6.1);
    expect(card.askedCount).toBe(asked + 1);
  });

  test("of an installment that is paid before its day is less by the fee for it, and reaches the balance then", async () => {
    const card = await PaidCard.pay(cards, merchant, 2);
    asaas.anticipate(card.firstId, 321n);
    await card.tell();
    const [first, second] = await card.receivables();
    const netMinor = (first?.gross ?? 0n) - (first?.providerFee ?? 0n) - 321n;
    expect(first).toMatchObject({ anticipationFee: 321n, payout: netMinor, outstanding: 0n });
    expect(second).toMatchObject({ anticipationFee: 0n, payout: 0n });
    expect(atProvider()).toBe(netMinor);
    expect(await providerBalances(merchant)).toMatchObject({ "provider_fee.anticipation": 321n });
    for (let day = 0; day < 80; day += 8) await days(cards, 8);
    const lines = await card.providerLines();
    expect(lines.slice(1).reduce((total, minor) => total + minor)).toBe(lines[0]);
    expect(atProvider()).toBe((await providerBalances(merchant))["provider_balance"]);
    expect(await problems()).toEqual([]);
  });

  test("after a provider's fault is read when its time has come again", async () => {
    const card = await PaidCard.pay(cards, merchant);
    asaas.fail("readPayment", { kind: "html", status: 500 });
    await expect(days(cards, 0)).rejects.toThrow("money of cards could not be looked after");
    expect(await card.receivables()).toEqual([]);
    asaas.fail("readPayment", { kind: "busy", retryAfter: "3600" });
    await expect(days(cards, 901 / DAY)).rejects.toThrow("money of cards could not be looked after");
    await days(cards, 1800 / DAY);
    expect(await card.receivables()).toEqual([]);
    await days(cards, 1801 / DAY);
    expect(await card.receivables()).toHaveLength(1);
  });
});

describe("money that goes back", () => {
  test("by a refund leaves what the provider owes, and the books of both agree", async () => {
    const card = await PaidCard.pay(cards, merchant, 2);
    await days(cards, 0);
    await merchant.api.post(`/v1/payments/${card.id}/refunds`, { amount: 5000 });
    await card.tell();
    expect((await card.receivables()).map(({ refundDeduction }) => refundDeduction)).toEqual([0n, 5000n]);
    expect(await providerBalances(merchant)).not.toHaveProperty("provider_clearing");
    expect(await problems()).toEqual([]);
  });

  test("whole, before it was paid out, costs no fee of the provider and leaves nothing to come", async () => {
    const card = await PaidCard.pay(cards, merchant);
    await days(cards, 0);
    await merchant.api.post(`/v1/payments/${card.id}/refunds`, {});
    await card.tell();
    expect(await card.receivables()).toMatchObject([{ providerFee: 0n, outstanding: 0n }]);
    expect(await providerBalances(merchant)).toEqual({});
    const entries = (await entriesOf(merchant, card.id)).filter(({ sourceId }) => sourceId === "01.2");
    expect(entries.map(({ kind }) => kind)).toEqual([LedgerEntryKind.PROVIDER_FEE]);
    expect(await problems()).toEqual([]);
  });

  test("by a contest after the payout is taken from the balance, and comes back when the merchant wins", async () => {
    const card = await PaidCard.pay(cards, merchant);
    for (let day = 0; day < 40; day += 8) await days(cards, 8);
    const paid = atProvider();
    asaas.chargeback(card.firstId, { reason: "FRAUD" });
    await card.tell();
    const [contested] = await card.receivables();
    expect(contested).toMatchObject({ chargeback: contested?.gross, outstanding: 0n });
    expect(contested?.payout).toBe(atProvider());
    const [dispute] = await card.disputes();
    expect(dispute).toMatchObject({
      status: DisputeStatus.NEEDS_RESPONSE,
      installment: 1,
      amount: contested?.gross,
      reason: "FRAUD",
      respondBy: card.atProvider[0]?.chargeback?.deadlineOn,
    });
    for (const move of ["disputed", "won", "reversed"] as const) {
      asaas.moveChargeback(card.firstId, move);
      await card.tell();
    }
    expect((await card.disputes()).map(({ id, status }) => [id, status])).toEqual([
      [dispute?.id, DisputeStatus.WON],
    ]);
    expect(await card.receivables()).toMatchObject([{ chargeback: 0n, payout: paid, outstanding: 0n }]);
    expect(atProvider()).toBe(paid);
    expect(await problems()).toEqual([]);
  });

  test("by a contest that is lost is a return, and nothing of it is left with the provider", async () => {
    const card = await PaidCard.pay(cards, merchant, 3);
    await days(cards, 0);
    asaas.chargeback(card.firstId);
    await card.tell();
    const part = card.atProvider[0]?.valueMinor;
    expect(await providerBalances(merchant)).toMatchObject({ provider_clearing: part });
    asaas.moveChargeback(card.firstId, "lost");
    await card.tell();
    expect(await providerBalances(merchant)).not.toHaveProperty("provider_clearing");
    expect(await card.receivables()).toMatchObject([{ chargeback: part, outstanding: 0n }, {}, {}]);
    expect((await card.disputes()).map(({ status }) => status)).toEqual([DisputeStatus.LOST]);
    expect((await kindsOf(merchant, card.id)).filter((kind) => kind === "return")).toHaveLength(1);
    expect(await problems()).toEqual([]);
    expect(await rows.count("live.dispute WHERE payment_id = $1", [card.id])).toBe(1);
  });
});

describe("a day that is sealed", () => {
  test("keeps its bytes, and its gross is what the provider owes for it, to the centavo", async () => {
    const card = await PaidCard.pay(cards, merchant, 4);
    const day = dayAt(service.clock.nowMs()).toString();
    await pass(cards, DAY);
    const { seal } = await merchant.ledger.sealDay({ day }, merchant.as);
    const files = async (): Promise<string[]> => {
      const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
      const paths = ["sealed.csv", "sealed.jsonl"].map((name) => `/console/live/close/${day}/${name}`);
      return await Promise.all(paths.map(async (path) => (await client.get(path)).body));
    };
    const before = await files();
    expect(before[1]).toContain(card.id);
    for (let past = 0; past < 40; past += 8) await days(cards, 8);
    expect((await card.receivables())[0]?.payout).toBeGreaterThan(0n);
    expect(await files()).toEqual(before);
    const verified = await merchant.ledger.verifySeal({ day }, merchant.as);
    expect(verified).toMatchObject({ isIntact: true, deltaCount: 0n });
    const [total] = seal?.totals ?? [];
    expect((await card.providerLines())[0]).toBe(total?.grossAmount);
    const today = dayAt(service.clock.nowMs()).toString();
    const { sums } = await merchant.ledger.summarizeReceivables({ from: day, to: today }, merchant.as);
    expect(sums.length).toBeGreaterThan(1);
    for (const one of sums) {
      const { gross, providerFee, anticipationFee, chargeback, refundDeduction, payout, outstanding } = one;
      const parts = [providerFee, anticipationFee, chargeback, refundDeduction, payout, outstanding];
      expect(sum(parts)).toBe(gross);
    }
    expect(await providerBalances(merchant)).toEqual({
      provider_receivable: sum(sums.map(({ outstanding }) => outstanding)),
      provider_fee: sum(sums.map(({ providerFee }) => providerFee)),
      provider_balance: sum(sums.map(({ payout }) => payout)),
    });
    const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
    const page = await client.get(`/console/live/close/${sums[0]?.day ?? ""}?lang=en`);
    expect(page.body).toContain("What providers said on this day");
    expect((await client.get(`/console/live/close/${day}?lang=en`)).body).not.toContain(
      "What providers said",
    );
  });
});
