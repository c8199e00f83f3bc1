import { Callbacks } from "./callbacks.ts";
import { BankClock } from "./clock.ts";
import { Answering, BASE, TOKEN_PATH, type ReceivedRequest } from "./answering.ts";
import { Faults, type CallName, type Fault } from "./faults.ts";
import { Ids } from "./ids.ts";
import { moneyBody, type TimeForm } from "./messages.ts";
import { addReturn, endReturn, findMoney, findReturn, type ReturnRules } from "./money.ts";
import type { BankOptions } from "./options.ts";
import { serve } from "./server.ts";
import {
  newAccount,
  type Account,
  type Charge,
  type Money,
  type Return,
  type ReturnNature,
  type ReturnStatus,
} from "./state.ts";
import { Tokens } from "./tokens.ts";

/** A bank that speaks API Pix 2.9.0 over mutual TLS, with its state in memory. */
export class Bank {
  readonly clock = new BankClock();
  readonly tokens = new Tokens(this.clock);
  readonly faults = new Faults();
  readonly callbacks: Callbacks;
  readonly requests: ReceivedRequest[] = [];
  /** The form of times in answers. */
  timeForm: TimeForm = "zulu";
  /** True: clients may register callbacks over http. */
  readonly isHttpAllowed: boolean;
  /** How often a new report is answered as not made. */
  reportWaits = 1;
  returnRules: ReturnRules = { outcome: "DEVOLVIDO", reason: null, isRepeatable: true };
  readonly #ids = new Ids();
  readonly #accounts: readonly Account[];
  #served: Awaited<ReturnType<typeof serve>> | undefined;

  constructor({ clients, callbacks = {} }: BankOptions) {
    this.#accounts = clients.map(newAccount);
    this.isHttpAllowed = callbacks.isHttpAllowed ?? false;
    this.callbacks = new Callbacks(callbacks.identity, callbacks.authority);
  }

  async start(options: BankOptions): Promise<void> {
    const { clock, tokens, faults, requests } = this;
    const answering = new Answering({
      clock,
      tokens,
      faults,
      requests,
      ids: this.#ids,
      accounts: this.#accounts,
      bank: this,
    });
    this.#served = await serve(
      options,
      (request) => answering.answer(request),
      () => clock.now(),
    );
  }

  async stop(): Promise<void> {
    await this.callbacks.close();
    await this.#served?.stop();
  }

  /** What precedes `/cob`, `/pix` and `/webhook`. */
  get baseUrl(): string {
    return `${this.#origin()}${BASE}`;
  }

  get tokenUrl(): string {
    return `${this.#origin()}${TOKEN_PATH}`;
  }

  /** The next `times` calls of a name fail. */
  fail(call: CallName, fault: Fault, times = 1): void {
    this.faults.add(call, fault, times);
  }

  /** Returns what a client has here. Throws Error if there is no such client. */
  account(clientId?: string): Account {
    const account = this.#accounts.find(({ client }) => clientId === undefined || client.id === clientId);
    if (!account) throw new Error("the bank has no such client");
    return account;
  }

  /** Narrows or widens what a client's next tokens may do. */
  grant(scopes: readonly string[], clientId?: string): void {
    this.account(clientId).scopes = scopes;
  }

  charge(txid: string): Charge {
    const charge = this.#accounts.flatMap(({ charges }) => charges.get(txid) ?? [])[0];
    if (!charge) throw new Error(`the bank has no charge ${txid}`);
    return charge;
  }

  /** Pays a charge, in any state of it: the first payment completes it. */
  pay(txid: string, amountMinor: bigint, at = this.clock.now(), payerName?: string): Money {
    const account = this.#accounts.find(({ charges }) => charges.has(txid));
    const charge = this.charge(txid);
    const key = charge.revisions.at(-1)?.terms.key ?? "";
    const money = this.#receive(account ?? this.account(), {
      txid,
      key,
      amountMinor,
      at,
      ...(payerName === undefined ? {} : { payerName }),
    });
    charge.money.push(money);
    if (charge.status === "ATIVA") charge.status = "CONCLUIDA";
    this.#tell(account ?? this.account(), money);
    return money;
  }

  /** Pays a key, without a charge. A txid is what the payer's bank sent, of a charge or not. */
  payKey(
    amountMinor: bigint,
    {
      at = this.clock.now(),
      txid = null,
      clientId,
      key,
    }: { at?: Date; txid?: string | null; clientId?: string; key?: string } = {},
  ): Money {
    const account = this.account(clientId);
    const money = this.#receive(account, { txid, key: key ?? account.client.keys[0] ?? "", amountMinor, at });
    this.#tell(account, money);
    return money;
  }

  /** Gives money back by the bank's own decision. It is final at once. */
  returnByBank(
    endToEndId: string,
    amountMinor: bigint,
    nature: ReturnNature = "MED_FRAUDE",
    { status = "DEVOLVIDO", isWithoutTimes = false }: Partial<Pick<Return, "status" | "isWithoutTimes">> = {},
  ): void {
    const account = this.#accountOfMoney(endToEndId);
    const money = findMoney(account, endToEndId);
    const id = `MED${this.#ids.locationId()}`;
    const made = addReturn(money, { id, amountMinor, nature, note: null }, this.clock, this.#ids);
    made.isWithoutTimes = isWithoutTimes;
    endReturn(made, status, null, this.clock);
    this.#tell(account, money);
  }

  /** Ends a return that is under way. */
  endReturn(endToEndId: string, id: string, status: ReturnStatus, reason: string | null = null): void {
    const account = this.#accountOfMoney(endToEndId);
    endReturn(findReturn(account, endToEndId, id), status, reason, this.clock);
    if (status !== "EM_PROCESSAMENTO") this.#tell(account, findMoney(account, endToEndId));
  }

  /** Hides a return from questions by its id. Lists have it. */
  hideReturn(endToEndId: string, id: string, seconds: number): void {
    const hidden = findReturn(this.#accountOfMoney(endToEndId), endToEndId, id);
    hidden.hiddenUntil = new Date(this.clock.nowMs() + seconds * 1000);
  }

  /** Removes a charge, as its bank may. */
  remove(txid: string): void {
    this.charge(txid).status = "REMOVIDA_PELO_PSP";
  }

  #receive(account: Account, given: Omit<Money, "endToEndId" | "returns">): Money {
    const money = { ...given, endToEndId: this.#ids.endToEndId(given.at), returns: [] };
    account.money.set(money.endToEndId, money);
    return money;
  }

  /** Only money with a txid leads to a callback. */
  #tell({ webhooks }: Account, money: Money): void {
    const webhook = webhooks.get(money.key);
    if (webhook && money.txid !== null)
      this.callbacks.tell(webhook.url, moneyBody(money, this.timeForm, true));
  }

  #accountOfMoney(endToEndId: string): Account {
    const account = this.#accounts.find(({ money }) => money.has(endToEndId));
    if (!account) throw new Error(`the bank has no money ${endToEndId}`);
    return account;
  }

  #origin(): string {
    return `https://localhost:${this.#served?.port ?? 0}`;
  }
}

/** Starts a bank on a port of the loopback. */
export async function startBank(options: BankOptions): Promise<Bank> {
  const bank = new Bank(options);
  await bank.start(options);
  return bank;
}
