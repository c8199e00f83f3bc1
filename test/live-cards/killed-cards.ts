import { Doomed } from "../live-pix/doomed.ts";
import { outcomeOf, type Outcome } from "../live-pix/outcome.ts";
import type { CallName } from "../support/asaas/routes.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import type { Fault } from "../support/provider/faults.ts";
import {
  API_KEY,
  connectCards,
  startCards,
  type CardMerchant,
  type CardService,
  type Waiting,
} from "./card-merchant.ts";

// An account has few places for what stops: those whose work stops get one of their own.
const KEYS = Array.from({ length: 8 }, (_, index) => `${API_KEY}-${index}`);
const TASKS = ["answerCallbacks", "checkCharges", "checkRefunds", "sweepProviders"] as const;

/** An outcome, with how many charges of it were paid at Asaas, and how many can still be paid. */
export type CardOutcome = Outcome & {
  readonly charged: { readonly paid: number; readonly open: number };
};

/** What goes wrong with a call of a process that is killed, or where its own statement stops. */
export interface Fate {
  readonly fault?: readonly [CallName, Fault["kind"] & ("hang" | "silent")];
  readonly stop?: readonly ["INSERT" | "UPDATE", table: string, fields: object];
}

/** What is left when the process is killed at a step. */
export interface Left {
  readonly of: CardMerchant;
  readonly paymentId: string | (() => Promise<string>);
  /** What a payer or a merchant asks for again after the restart. */
  readonly again?: () => Promise<unknown>;
  /** What happens at Asaas then. */
  readonly finish?: () => void;
}

/** A step between two commits, and what brings a process to it. */
export type Step = readonly [name: string, bring: (process: Doomed) => Promise<Left>];

/** A service with cards at a simulated Asaas, whose other process is killed. */
export class KilledCards {
  readonly cards: CardService;
  readonly rows: DatabaseRows;
  readonly merchant: CardMerchant;
  #merchants = 1;

  private constructor(cards: CardService, rows: DatabaseRows, merchant: CardMerchant) {
    this.cards = cards;
    this.rows = rows;
    this.merchant = merchant;
  }

  static async start(): Promise<KilledCards> {
    const cards = await startCards(KEYS);
    const rows = await new DatabaseRows(cards.service.databaseUrl).open();
    return new KilledCards(cards, rows, await connectCards(cards, KEYS[0]));
  }

  /** Returns a merchant with an account of its own. */
  async another(): Promise<CardMerchant> {
    return await connectCards(this.cards, KEYS[this.#merchants++]);
  }

  firstOf(reference: string): string {
    return this.cards.asaas.paymentsOf(reference).find(({ isDeleted }) => !isDeleted)?.id ?? "";
  }

  /** Returns how many charges of a reference were paid at Asaas, and how many can still be paid. */
  chargedOf(reference: string): CardOutcome["charged"] {
    const all = this.cards.asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
    const idsOf = (isPaid: boolean): number =>
      new Set(
        all
          .filter(({ confirmedOn }) => (confirmedOn !== null) === isPaid)
          .map(({ id, plan }) => plan?.id ?? id),
      ).size;
    return { paid: idsOf(true), open: idsOf(false) };
  }

  /** Starts a payment, and has it paid at Asaas. */
  async paid(of = this.merchant, installments = 2): Promise<Waiting> {
    const started = await of.start(installments);
    this.cards.asaas.pay(this.firstOf(started.reference));
    return started;
  }

  /** Lets a fault wait for the process, or a stop. */
  async fate(process: Doomed, { fault, stop }: Fate, fields: object): Promise<void> {
    if (stop) await process.stops.at(stop[0], stop[1], { ...fields, ...stop[2] });
    if (fault) this.cards.asaas.fail(fault[0], { kind: fault[1] });
  }

  /** Moves the clocks, and runs each background task once. Faults after a kill are no failures. */
  async pass(seconds: number): Promise<void> {
    const { service, asaas } = this.cards;
    service.clock.advance(seconds);
    asaas.clock.advance(seconds);
    for (const task of TASKS) await service.core.tasks[task]().catch(() => undefined);
    service.faults.length = 0;
  }

  /** Brings one process to all steps, kills it there, and returns what each payment came to after a restart. */
  async killedAt(steps: readonly Step[]): Promise<Record<string, CardOutcome>> {
    const { service, asaas } = this.cards;
    const process = await Doomed.start({ service, rows: this.rows, requests: asaas.requests });
    const left: [name: string, Left][] = [];
    for (const [name, bring] of steps) left.push([name, await bring(process)]);
    await process.kill();
    await Promise.all(left.map(async ([, { again }]) => await again?.()));
    await this.pass(15);
    for (const [, { finish }] of left) finish?.();
    for (const seconds of [60, 3700]) await this.pass(seconds);
    const outcomes: Record<string, CardOutcome> = {};
    for (const [name, { of, paymentId }] of left) {
      const id = typeof paymentId === "string" ? paymentId : await paymentId();
      const charged = this.chargedOf(id.replace("_", ""));
      outcomes[name] = { ...(await outcomeOf(this.rows, of, id)), charged };
    }
    return outcomes;
  }

  async close(): Promise<void> {
    this.cards.service.faults.length = 0;
    await this.rows.close();
    await this.cards.close();
  }
}
