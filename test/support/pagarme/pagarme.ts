import { BankClock } from "../../../tools/bank/clock.ts";
import { Answering, type ReceivedRequest } from "../provider/answering.ts";
import { Faults, type Fault } from "../provider/faults.ts";
import { Ids } from "../provider/ids.ts";
import type { Fields } from "../provider/json.ts";
import { Outbox } from "../provider/outbox.ts";
import { serve, type Served } from "../provider/server.ts";
import { BASE, callOf, carryOut } from "./carrying-out.ts";
import { chargeBack, endRefund, endWaiting, reverseChargeback } from "./charges.ts";
import type { PagarmeDeps, RefundRules } from "./deps.ts";
import { openDispute } from "./disputes.ts";
import { chargeBody, orderBody, timeText } from "./messages.ts";
import { anticipate, balanceMinor } from "./payables.ts";
import { problemOf } from "./problem.ts";
import type { CallName } from "./routes.ts";
import { settle } from "./settlements.ts";
import { JWKS_PATH, Signing } from "./signing.ts";
import {
  newAccount,
  type Account,
  type AccountOptions,
  type Charge,
  type Dispute,
  type Hook,
  type Order,
  type Outcome,
  type Settlement,
} from "./state.ts";

export interface PagarmeOptions {
  readonly accounts: readonly AccountOptions[];
  readonly port?: number;
}

/** A provider that speaks the API v5 of Pagar.me over http, with its state in memory. */
export class Pagarme {
  readonly clock = new BankClock();
  readonly ids = new Ids();
  readonly faults = new Faults<CallName>();
  readonly requests: ReceivedRequest<CallName>[] = [];
  readonly signing = new Signing();
  readonly refundRules: RefundRules = { outcome: "done" };
  readonly callbacks: Outbox;
  /** False: it looks at no idempotency key. */
  isIdempotent = true;
  /** True: the code 05 is written 5, as some gateways do. */
  isZeroDropped = false;
  readonly #accounts: readonly Account[];
  readonly #decided: Outcome[] = [];
  #served: Served | undefined;

  constructor({ accounts }: PagarmeOptions) {
    this.#accounts = accounts.map((options) => newAccount(options, this.ids));
    this.callbacks = new Outbox({
      isTaken: (status) => status !== null && status >= 200 && status < 300,
      isOpen: () => true,
      isOrdered: () => false,
      onOutcome: ({ id }, isTaken) => {
        const hook = this.#accounts.flatMap(({ hooks }) => hooks).find((one) => one.id === id);
        if (hook) hook.status = isTaken ? "sent" : "failed";
      },
    });
  }

  async start(port?: number): Promise<void> {
    const { signing } = this;
    const deps = this.#deps();
    const from = {
      deps,
      accounts: this.#accounts,
      signing,
      isIdempotent: () => this.isIdempotent,
      retry: (account: Account, hook: Hook) => this.#post(account, hook),
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

  get origin(): string {
    return `http://127.0.0.1:${this.#served?.port ?? 0}`;
  }

  /** What precedes the paths of the API. */
  get baseUrl(): string {
    return `${this.origin}${BASE}`;
  }

  /** Where the keys of the callbacks' signatures are. */
  get jwksUrl(): string {
    return `${this.origin}${JWKS_PATH}`;
  }

  /** The next `times` calls of a name fail. */
  fail(call: CallName, fault: Fault, times = 1): void {
    this.faults.add(call, fault, times);
  }

  /** The next orders come to these, in this order, whatever their cards are. */
  decide(...outcomes: readonly Outcome[]): void {
    this.#decided.push(...outcomes);
  }

  /** Returns what a merchant has here: the first one, unless a key names another. */
  account(secretKey?: string): Account {
    const account = this.#accounts.find((one) => secretKey === undefined || one.secretKey === secretKey);
    if (!account) throw new Error("the provider has no such account");
    return account;
  }

  /** Where a merchant's news are posted, as he sets it by hand. No events given: all. */
  setHook(url: string, events?: readonly string[], secretKey?: string): void {
    this.account(secretKey).hook = { url, ...(events ? { events } : {}) };
  }

  ordersOf(code: string): Order[] {
    return this.#accounts
      .flatMap(({ orders }) => [...orders.values()])
      .filter((order) => order.code === code);
  }

  charge(id: string): Charge {
    const charge = this.#accountOf(id).charges.get(id);
    if (!charge) throw new Error(`the provider has no charge ${id}`);
    return charge;
  }

  /** Ends what waited for the acquirer ("processing") or for the antifraud ("review"). */
  endWaiting(id: string, outcome: Parameters<typeof endWaiting>[2]): void {
    endWaiting(this.#accountOf(id), this.charge(id), outcome, this.#deps());
  }

  /** Ends the refund that is under way. */
  endRefund(id: string, isDone: boolean): void {
    endRefund(this.#accountOf(id), this.charge(id), isDone, this.#deps());
  }

  /** The payer's bank takes a charge back, or one of its installments. */
  chargeback(id: string, installment?: number): void {
    chargeBack(this.#accountOf(id), this.charge(id), installment, this.#deps());
  }

  /** A card holder contests a charge, or an amount of it. No money moves by it. */
  dispute(id: string, amountMinor = this.charge(id).paidMinor): Dispute {
    return openDispute(this.#accountOf(id), this.charge(id), amountMinor, this.#deps());
  }

  /** The merchant wins a chargeback back, or an amount of one of its installments. */
  reverseChargeback(id: string, of: Parameters<typeof reverseChargeback>[2] = {}): void {
    reverseChargeback(this.#accountOf(id), this.charge(id), of, this.#deps());
  }

  /** Pays an installment before its day, for a fee. */
  anticipate(id: string, installment: number, feeMinor: bigint): void {
    anticipate(this.#accountOf(id), this.charge(id), installment, feeMinor, this.#deps());
  }

  /** Pays all that is there out to the first merchant's bank. */
  settle(status: Settlement["status"] = "success"): Settlement {
    return settle(this.account(), status, this.#deps());
  }

  /** Returns a merchant's balance here: the first one's, unless a key names another. */
  balanceMinor(secretKey?: string): bigint {
    return balanceMinor(this.account(secretKey), this.#deps());
  }

  /** Hides the orders of a code from lists and from questions by their ids. */
  hide(code: string, seconds: number): void {
    const until = new Date(this.clock.nowMs() + seconds * 1000);
    for (const order of this.ordersOf(code)) order.hiddenUntil = until;
  }

  #accountOf(chargeId: string): Account {
    const account = this.#accounts.find(({ charges }) => charges.has(chargeId));
    if (!account) throw new Error(`the provider has no charge ${chargeId}`);
    return account;
  }

  #deps(): PagarmeDeps {
    const isZeroDropped = (): boolean => this.isZeroDropped;
    return {
      clock: this.clock,
      ids: this.ids,
      refundRules: this.refundRules,
      get isZeroDropped() {
        return isZeroDropped();
      },
      decided: () => this.#decided.shift(),
      tellOfCharge: (account, event, charge) => this.#tell(account, event, chargeBody(charge)),
      tellOfOrder: (account, event, order) => this.#tell(account, event, orderBody(order)),
    };
  }

  #tell(account: Account, type: string, data: Fields): void {
    const { hook } = account;
    if (!hook || hook.events?.includes(type) === false) return;
    const createdAt = this.clock.now();
    const id = `hook_${this.ids.token(16)}`;
    const { id: accountId, name } = account;
    const text = JSON.stringify({
      id,
      account: { id: accountId, name },
      type,
      created_at: timeText(createdAt),
      data,
    });
    const made: Hook = { id, type, url: hook.url, text, createdAt, status: "pending" };
    account.hooks.push(made);
    this.#post(account, made);
  }

  #post(account: Account, { id, url, text }: Hook): void {
    this.callbacks.tell({ id, hookId: account.id, url, text, headers: this.signing.headers(text) });
  }
}

/** Starts one on a port of the loopback. */
export async function startPagarme(options: PagarmeOptions): Promise<Pagarme> {
  const pagarme = new Pagarme(options);
  await pagarme.start(options.port);
  return pagarme;
}
