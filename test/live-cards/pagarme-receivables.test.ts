import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Receivable } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { Payable } from "../support/pagarme/state.ts";
import { DAY, providerBalances } from "./paid-card.ts";
import {
  callBack,
  cardToken,
  connectPagarme,
  KEYS,
  PAID_CARD,
  pass,
  referenceOf,
  startPagarmeService,
  type PagarmeMerchant,
} from "./pagarme-merchant.ts";

// Each test has an account at the provider: its balance begins at nothing, as the books of its tenant do.
const accounts = Array.from({ length: 3 }, (_, index) => ({
  secretKey: `${KEYS.secretKey}${index}`,
  publicKey: `${KEYS.publicKey}${index}`,
}));
const cards = await forFile(startPagarmeService(accounts));
const { pagarme, service } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const sum = (minors: readonly bigint[]): bigint => minors.reduce((total, minor) => total + minor, 0n);

/** A merchant with an account, and a card that was paid there. */
class PaidThere {
  readonly merchant: PagarmeMerchant;
  readonly id: string;
  readonly chargeId: string;
  readonly #secretKey: string;

  private constructor(merchant: PagarmeMerchant, id: string, secretKey: string) {
    [this.merchant, this.id, this.#secretKey] = [merchant, id, secretKey];
    this.chargeId = pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
  }

  static async pay(installments: number): Promise<PaidThere> {
    const keys = accounts.pop() ?? KEYS;
    const merchant = await connectPagarme(cards, { ...keys, isWithoutAntifraud: true });
    const token = await cardToken(pagarme, PAID_CARD, {}, keys.publicKey);
    const id = await merchant.paid(await merchant.opened({ amount: 100_003 }), installments, token);
    return new PaidThere(merchant, id, keys.secretKey);
  }

  /** What Pagar.me owes for it, by installment. */
  get credits(): Payable[] {
    return pagarme.account(this.#secretKey).payables.filter(({ type }) => type === "credit");
  }

  get balanceMinor(): bigint {
    return pagarme.balanceMinor(this.#secretKey);
  }

  /** How often Pagar.me was asked about its money. */
  get askedCount(): number {
    return pagarme.requests.filter(({ query }) => query["charge_id"] === this.chargeId).length;
  }

  async receivables(): Promise<Receivable[]> {
    const { ledger, as } = this.merchant;
    return (await ledger.listReceivables({ paymentId: this.id }, as)).receivables;
  }

  /** Pagar.me calls back, and the worker reads what became of the money. */
  async tell(): Promise<void> {
    await callBack(cards, this.merchant, this.id);
    await service.core.tasks.readReceivables();
  }

  /** Returns where the books and Pagar.me have another balance, and what contradicts the books. */
  async differences(): Promise<readonly unknown[]> {
    const { provider_balance: ours = 0n } = await providerBalances(this.merchant);
    const { problems } = await checkLedger(service, Mode.LIVE);
    return ours === this.balanceMinor ? problems : [{ ours, theirs: this.balanceMinor }, ...problems];
  }
}

async function days(count: number): Promise<void> {
  for (let day = 0; day < count; day += 10) {
    await pass(cards, 10 * DAY);
    await service.core.tasks.readReceivables();
  }
}

test("what Pagar.me owes is its payables, the price together, and after its payouts the balance is its own", async () => {
  const card = await PaidThere.pay(3);
  const { amount } = await card.merchant.read(card.id);
  const paidBy =
    "SELECT card_brand AS brand, card_last_four AS digits FROM live.charge WHERE payment_id = $1";
  expect(await rows.read(paidBy, [card.id])).toEqual([{ brand: "visa", digits: "0010" }]);
  await service.core.tasks.readReceivables();
  const receivables = await card.receivables();
  expect(sum(receivables.map(({ gross }) => gross))).toBe(BigInt(Number(amount)));
  expect(
    receivables.map((one) => [one.installment, one.gross, one.providerFee, one.expectedOn, one.payout]),
  ).toEqual(card.credits.map((one) => [one.installment, one.amountMinor, one.feeMinor, one.paymentOn, 0n]));
  await days(40);
  const [first, second] = await card.receivables();
  expect(first).toMatchObject({ outstanding: 0n, paidOutOn: card.credits[0]?.paymentOn });
  expect(second).toMatchObject({ payout: 0n });
  expect(await card.differences()).toEqual([]);
  await days(70);
  const feeMinor = sum(card.credits.map((one) => one.feeMinor));
  expect(await providerBalances(card.merchant)).toEqual({
    provider_balance: BigInt(Number(amount)) - feeMinor,
    provider_fee: feeMinor,
  });
  expect(await card.differences()).toEqual([]);
  expect((await card.merchant.read(card.id))["amount"]).toBe(amount);
  const asked = card.askedCount;
  expect(asked).toBeGreaterThan(3);
  await days(30);
  expect(card.askedCount).toBe(asked);
});

test("an installment that is paid before its day costs its fee, and the balance is Pagar.me's", async () => {
  const card = await PaidThere.pay(2);
  pagarme.anticipate(card.chargeId, 1, 321n);
  await card.tell();
  expect(await card.receivables()).toMatchObject([
    { anticipationFee: 321n, outstanding: 0n, payout: card.balanceMinor },
    { anticipationFee: 0n, payout: 0n },
  ]);
  expect(await providerBalances(card.merchant)).toMatchObject({ "provider_fee.anticipation": 321n });
  expect(await card.differences()).toEqual([]);
});

test("a refund, and a chargeback after the payouts, leave the balance that Pagar.me has", async () => {
  const card = await PaidThere.pay(3);
  await card.merchant.api.post(`/v1/payments/${card.id}/refunds`, { amount: 10_001 });
  await card.tell();
  const deducted = (await card.receivables()).map(({ refundDeduction }) => refundDeduction);
  expect(deducted).toEqual([3335n, 3333n, 3333n]);
  await days(110);
  expect((await card.receivables()).map(({ outstanding }) => outstanding)).toEqual([0n, 0n, 0n]);
  expect(await card.differences()).toEqual([]);
  const before = card.balanceMinor;
  pagarme.chargeback(card.chargeId, 2);
  await card.tell();
  const gone = card.credits[1]?.amountMinor ?? 0n;
  expect(card.balanceMinor).toBe(before - gone);
  expect((await card.receivables())[1]).toMatchObject({ chargeback: gone, outstanding: 0n });
  expect(await providerBalances(card.merchant)).not.toHaveProperty("provider_clearing");
  expect(await card.differences()).toEqual([]);
  pagarme.reverseChargeback(card.chargeId);
  await card.tell();
  expect((await card.receivables())[1]).toMatchObject({ chargeback: 0n, outstanding: 0n });
  expect(card.balanceMinor).toBe(before);
  expect(await providerBalances(card.merchant)).not.toHaveProperty("provider_clearing");
  expect(await card.differences()).toEqual([]);
});
