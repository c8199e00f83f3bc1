import { createClient } from "@connectrpc/connect";
import type { Receivable } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { RefundsService, type Dispute } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { balancesOf } from "../ledger/book-keeper.ts";
import type { Payment } from "../support/asaas/state.ts";
import { CALLBACK_TOKEN, pass, type CardMerchant, type CardService } from "./card-merchant.ts";

export const DAY = 86_400;

/** A card payment that its payer has paid at the simulated provider. */
export class PaidCard {
  readonly id: string;
  readonly reference: string;
  readonly #cards: CardService;
  readonly #merchant: CardMerchant;

  private constructor(cards: CardService, merchant: CardMerchant, id: string, reference: string) {
    [this.#cards, this.#merchant, this.id, this.reference] = [cards, merchant, id, reference];
  }

  static async pay(cards: CardService, merchant: CardMerchant, installments = 1): Promise<PaidCard> {
    const { paymentId, reference } = await merchant.start(installments);
    cards.asaas.pay(cards.asaas.paymentsOf(reference)[0]?.id ?? "");
    await pass(cards, 31);
    const { status } = await merchant.read(paymentId);
    if (status !== "succeeded") throw new Error(`the card payment ${paymentId} is ${String(status)}`);
    return new PaidCard(cards, merchant, paymentId, reference);
  }

  /** Its payments at the provider, by their number. */
  get atProvider(): Payment[] {
    return this.#cards.asaas.paymentsOf(this.reference);
  }

  get firstId(): string {
    return this.atProvider[0]?.id ?? "";
  }

  /** How often the provider was asked about its money. */
  get askedCount(): number {
    const id = this.atProvider[0]?.plan?.id ?? this.firstId;
    return this.#cards.asaas.requests.filter(({ path }) => path.includes(id)).length;
  }

  async receivables(): Promise<Receivable[]> {
    const { ledger, as } = this.#merchant;
    return (await ledger.listReceivables({ paymentId: this.id }, as)).receivables;
  }

  /** The lines of the provider's bridge by their kind, in centavos. */
  async providerLines(): Promise<bigint[]> {
    const { ledger, as } = this.#merchant;
    const { providerLines } = await ledger.getPaymentBridge({ paymentId: this.id }, as);
    return providerLines.map(({ amount = 0n }) => amount);
  }

  async disputes(): Promise<Dispute[]> {
    const refunds = createClient(RefundsService, this.#cards.service.core.transport);
    return (await refunds.listDisputes({ paymentId: this.id }, this.#merchant.as)).disputes;
  }

  /** The provider calls back about it, and the worker reads its money. */
  async tell(): Promise<void> {
    const { service } = this.#cards;
    const payment = { id: this.firstId, externalReference: this.reference };
    const payload = JSON.stringify({ id: crypto.randomUUID(), payment });
    const headers = { "asaas-access-token": CALLBACK_TOKEN };
    await service.gateway.inject({ method: "POST", url: this.#merchant.path, headers, payload });
    await service.core.tasks.answerCallbacks();
    await service.core.tasks.readReceivables();
  }
}

/** Moves both clocks by days, and lets the worker read what became of the money. */
export async function days(cards: CardService, count: number): Promise<void> {
  await pass(cards, count * DAY);
  await cards.service.core.tasks.readReceivables();
}

/** Debits less credits of the accounts of a provider's money, those of 0 left out. */
export async function providerBalances(
  merchant: Pick<CardMerchant, "ledger" | "as">,
): Promise<Record<string, bigint>> {
  const balances = Object.entries(await balancesOf(merchant, "BRL"))
    .filter(([name]) => name.startsWith("provider_"))
    .map(([name, [debit, credit]]) => [name.replace(":BRL", ""), debit - credit] as const);
  return Object.fromEntries(balances.filter(([, minor]) => minor !== 0n));
}
