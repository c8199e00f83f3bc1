import { BankClock } from "../../../tools/bank/clock.ts";
import { Answering, type ReceivedRequest } from "../provider/answering.ts";
import { Faults, type Fault } from "../provider/faults.ts";
import { Ids } from "../provider/ids.ts";
import type { Fields } from "../provider/json.ts";
import { Outbox } from "../provider/outbox.ts";
import { serve, type Served } from "../provider/server.ts";
import { BASE, callOf, carryOut, keepTime } from "./carrying-out.ts";
import { findCheckout, payCheckout } from "./checkouts.ts";
import type { AsaasDeps, RefundRules } from "./deps.ts";
import { addLine } from "./finance.ts";
import {
  anticipate,
  confirmRest,
  decline,
  endReview,
  moveChargeback,
  payByCard,
  payByPix,
  startChargeback,
  type CardGiven,
  type ChargebackGiven,
  type ChargebackMove,
  type PayOptions,
} from "./happenings.ts";
import type { AsaasMode } from "./keys.ts";
import { CALLS_MAX } from "./limits.ts";
import { checkoutBody, paymentBody } from "./messages.ts";
import { problemOf } from "./problem.ts";
import { endRefund } from "./refunds.ts";
import type { CallName } from "./routes.ts";
import {
  newAccount,
  type Account,
  type AccountOptions,
  type Checkout,
  type Payment,
  type Plan,
  type RefundStatus,
} from "./state.ts";
import { notesOf, outboxRules } from "./webhooks.ts";

export interface AsaasOptions {
  readonly accounts: readonly AccountOptions[];
  /** Which keys it takes. */
  readonly mode?: AsaasMode;
  readonly port?: number;
}

/** A provider that speaks the API of Asaas over http, with its state in memory. */
export class Asaas {
  readonly clock = new BankClock();
  readonly ids = new Ids();
  readonly faults = new Faults<CallName>();
  readonly requests: ReceivedRequest<CallName>[] = [];
  readonly callbacks: Outbox;
  readonly refundRules: RefundRules = { outcome: "DONE" };
  /** How it writes amounts. */
  amountForm: AsaasDeps["amountForm"] = "two_decimals";
  /** How many calls an account has in 12 hours. */
  callsMax = CALLS_MAX;
  readonly #accounts: readonly Account[];
  readonly #mode: AsaasMode;
  #served: Served | undefined;

  constructor({ accounts, mode = "sandbox" }: AsaasOptions) {
    this.#accounts = accounts.map((options) => newAccount(options, this.ids));
    this.#mode = mode;
    this.callbacks = new Outbox(outboxRules(this.#accounts));
  }

  async start(port?: number): Promise<void> {
    const from = {
      deps: this.#deps(),
      accounts: this.#accounts,
      mode: this.#mode,
      callsMax: () => this.callsMax,
    };
    const answering = new Answering<CallName>({
      faults: this.faults,
      requests: this.requests,
      callOf,
      carryOut: (request) => carryOut(request, from),
      refusal: (status) => problemOf(status).answer(),
    });
    this.#served = await serve(
      (request) => answering.answer(request),
      () => this.clock.now(),
      port,
    );
  }

  async stop(): Promise<void> {
    await this.callbacks.close();
    await this.#served?.stop();
  }

  /** What precedes the paths of the API. */
  get baseUrl(): string {
    return `${this.origin}${BASE}`;
  }

  /** What precedes the paths of its pages. */
  get origin(): string {
    return `http://127.0.0.1:${this.#served?.port ?? 0}`;
  }

  /** The next `times` calls of a name fail. */
  fail(call: CallName, fault: Fault, times = 1): void {
    this.faults.add(call, fault, times);
  }

  /** Returns what a merchant has here: the first one, unless a key names another. */
  account(apiKey?: string): Account {
    const account = this.#accounts.find((one) => apiKey === undefined || one.apiKey === apiKey);
    if (!account) throw new Error("the provider has no such account");
    return account;
  }

  /** Returns a payment by its id, or a plan's first one by the plan's. */
  payment(id: string): Payment {
    const payment = this.#accountOf(id).payments.get(id) ?? this.plan(id).payments[0];
    if (!payment) throw new Error(`the provider has no payment ${id}`);
    return payment;
  }

  plan(id: string): Plan {
    const plan = this.#accountOf(id).plans.get(id);
    if (!plan) throw new Error(`the provider has no plan ${id}`);
    return plan;
  }

  /** Returns the payments of a reference, the first one first, with those that were removed. */
  paymentsOf(externalReference: string): Payment[] {
    return this.#accounts
      .flatMap(({ payments }) => [...payments.values()])
      .filter((payment) => payment.externalReference === externalReference);
  }

  /** Returns the checkouts of a reference, the first one first. */
  checkoutsOf(externalReference: string): Checkout[] {
    return this.#accounts
      .flatMap(({ checkouts }) => [...checkouts.values()])
      .filter((checkout) => checkout.externalReference === externalReference);
  }

  /** A payer pays a payment, or the plan that it is of, in whatever state it is. */
  pay(id: string, options: PayOptions = {}): void {
    const payment = this.payment(id);
    if (payment.billingType === "PIX") payByPix(this.#accountOf(id), payment, this.#deps());
    else payByCard(this.#accountOf(id), payment, options, this.#deps());
  }

  /** Confirms the installments that `pay` left. */
  confirmRest(id: string): void {
    confirmRest(this.#accountOf(id), this.payment(id), this.#deps());
  }

  decline(id: string): void {
    decline(this.#accountOf(id), this.payment(id), this.#deps());
  }

  endReview(
    id: string,
    outcome: "approved" | "reproved",
    reprovedStatus: "PENDING" | "REFUNDED" = "PENDING",
  ): void {
    endReview(this.#accountOf(id), this.payment(id), outcome, reprovedStatus, this.#deps());
  }

  payCheckout(
    id: string,
    options: CardGiven & { readonly count?: number; readonly isPix?: boolean } = {},
  ): Payment {
    const account = this.#accounts.find(({ checkouts }) => checkouts.has(id)) ?? this.account();
    return payCheckout(account, findCheckout(account, id), options, this.#deps());
  }

  /** The payer's bank takes one payment back. */
  chargeback(id: string, given: ChargebackGiven = {}): void {
    startChargeback(this.#accountOf(id), this.payment(id), given, this.#deps());
  }

  moveChargeback(id: string, to: ChargebackMove): void {
    moveChargeback(this.#accountOf(id), this.payment(id), to, this.#deps());
  }

  /** Ends the refunds of a payment that are under way. */
  endRefunds(id: string, status: Exclude<RefundStatus, "PENDING">): void {
    const payment = this.payment(id);
    for (const refund of payment.refunds.filter((one) => one.status === "PENDING")) {
      endRefund(this.#accountOf(id), payment, refund, status, this.#deps());
    }
  }

  anticipate(id: string, feeMinor: bigint): void {
    anticipate(this.#accountOf(id), this.payment(id), feeMinor, this.#deps());
  }

  /** Pays a part of the balance out to the merchant's bank. */
  payOut(valueMinor: bigint, apiKey?: string): void {
    addLine(this.account(apiKey), { type: "TRANSFER", valueMinor: -valueMinor }, this.#deps());
  }

  /** Hides a payment from lists and from questions by its id. */
  hide(id: string, seconds: number): void {
    this.payment(id).hiddenUntil = new Date(this.clock.nowMs() + seconds * 1000);
  }

  /** Does what the time has brought; calls and pages do it first. */
  keepTime(): void {
    for (const account of this.#accounts) keepTime(account, this.#deps());
  }

  #accountOf(id: string): Account {
    const account = this.#accounts.find(({ payments, plans }) => payments.has(id) || plans.has(id));
    if (!account) throw new Error(`the provider has neither a payment nor a plan ${id}`);
    return account;
  }

  #deps(): AsaasDeps {
    const { clock, refundRules, callbacks } = this;
    const form = (): AsaasDeps["amountForm"] => this.amountForm;
    const tell = (account: Account, event: string, subject: Fields): void => {
      for (const note of notesOf(account, event, subject, deps)) callbacks.tell(note);
    };
    const deps: AsaasDeps = {
      clock,
      ids: this.ids,
      get amountForm() {
        return form();
      },
      refundRules,
      origin: () => this.origin,
      tellOfPayment: (account, event, payment) =>
        tell(account, event, { payment: paymentBody(payment, deps) }),
      tellOfCheckout: (account, event, checkout) =>
        tell(account, event, { checkout: checkoutBody(checkout, deps) }),
      resume: () => void callbacks.retry(),
    };
    return deps;
  }
}

/** Starts one on a port of the loopback. */
export async function startAsaas(options: AsaasOptions): Promise<Asaas> {
  const asaas = new Asaas(options);
  await asaas.start(options.port);
  return asaas;
}
