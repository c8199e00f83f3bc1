import { createClient } from "@connectrpc/connect";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import type { DatabaseRows } from "../support/database-rows.ts";
import { CALLBACK_TOKEN, pass, type CardMerchant, type CardService } from "./card-merchant.ts";

/** A payment that was paid at Asaas. */
export interface PaidCard {
  readonly id: string;
  readonly reference: string;
}

/** Money of card payments that goes back, as the merchant, Asaas and the books have it. */
export class MoneyBack {
  readonly #cards: CardService;
  readonly #merchant: CardMerchant;
  readonly #rows: DatabaseRows;

  constructor(cards: CardService, merchant: CardMerchant, rows: DatabaseRows) {
    this.#cards = cards;
    this.#merchant = merchant;
    this.#rows = rows;
  }

  firstOf(reference: string): string {
    return this.#cards.asaas.paymentsOf(reference)[0]?.id ?? "";
  }

  async paid(installments = 1): Promise<PaidCard> {
    const { paymentId: id, reference } = await this.#merchant.start(installments);
    this.#cards.asaas.pay(this.firstOf(reference));
    await pass(this.#cards, 31);
    return { id, reference };
  }

  async refund(id: string, body: object = {}) {
    return await this.#merchant.api.post(`/v1/payments/${id}/refunds`, body);
  }

  /** A person ends a refund that Asaas does not have. */
  async end(id: string): Promise<void> {
    const { core } = this.#cards.service;
    await createClient(RefundsService, core.transport).endRefund({ id }, this.#merchant.as);
  }

  /** Lets the time pass, and workers ask about refunds at once. */
  async checked(seconds = 60, tasks = [this.#cards.service.core.tasks]): Promise<void> {
    this.#cards.service.clock.advance(seconds);
    this.#cards.asaas.clock.advance(seconds);
    await Promise.all(tasks.map(async ({ checkRefunds }) => await checkRefunds()));
  }

  /** Asaas tells of a payment: the service then asks about it. */
  async tell(reference: string): Promise<void> {
    const { service } = this.#cards;
    const payment = { id: "pay_1", externalReference: reference };
    const payload = JSON.stringify({ id: crypto.randomUUID(), payment });
    const headers = { "asaas-access-token": CALLBACK_TOKEN };
    await service.gateway.inject({ method: "POST", url: this.#merchant.path, headers, payload });
    await service.core.tasks.answerCallbacks();
  }

  async refundsOf(id: string): Promise<string[]> {
    const { body } = await this.#merchant.api.get(`/v1/payments/${id}/refunds`);
    const refunds = body.data as { amount: number; status: string }[];
    return refunds.map(({ amount, status }) => `${amount} ${status}`);
  }

  async eventsOf(id: string): Promise<unknown[]> {
    const sql = "SELECT type FROM live.event WHERE object_id = $1 ORDER BY id";
    return (await this.#rows.read(sql, [id])).map(({ type }) => type);
  }

  /** What went back of a payment, as the service has it. */
  async goneOf(id: string): Promise<unknown> {
    return (await this.#merchant.read(id))["refunded_amount"] ?? 0;
  }

  /** What Asaas gave back by refunds. */
  givenBack(reference: string): bigint {
    return this.#cards.asaas
      .paymentsOf(reference)
      .flatMap(({ refunds }) => refunds)
      .reduce((sum, { valueMinor }) => sum + valueMinor, 0n);
  }

  /** How often Asaas was asked to give back. */
  requestsFor(reference: string): number {
    const { id, plan } = this.#cards.asaas.payment(this.firstOf(reference));
    return this.#cards.asaas.requests.filter(({ path }) => path.endsWith(`/${plan?.id ?? id}/refund`)).length;
  }

  /** What is wrong with the books of live mode. */
  async problems(): Promise<readonly unknown[]> {
    return (await checkLedger(this.#cards.service, Mode.LIVE)).problems;
  }
}
