import type { Bank } from "../../bank/bank.ts";
import type { CallName, Fault } from "../../bank/faults.ts";
import type { Random } from "../random.ts";
import { Tally } from "./tally.ts";

const ANYWHERE: readonly [Fault, ...Fault[]] = [
  { kind: "lost" },
  { kind: "cut" },
  { kind: "hang" },
  { kind: "silent" },
  { kind: "unauthorized" },
  { kind: "status", status: 500 },
  { kind: "status", status: 503 },
  { kind: "busy", retryAfter: "5" },
  { kind: "busy", retryAfter: null },
  { kind: "html", status: 200 },
  { kind: "html", status: 502 },
  { kind: "empty", status: 200 },
  { kind: "empty", status: 204 },
];
const OF_CHARGES: readonly Fault[] = (
  [
    "wrong_crc",
    "wrong_amount_in_code",
    "wrong_location_in_code",
    "other_txid",
    "other_key",
    "other_amount",
    "brcode",
    "textoImagemQRcode",
    "no_code",
    "no_amount_in_code",
    "nulls",
    "number_amounts",
    "no_money",
  ] as const
).map((alteration) => ({ kind: "charge", alteration }));
// As a bank refuses a payer's text: the charge is asked for again without it.
const OF_NEW_CHARGES: readonly Fault[] = [{ kind: "text", status: 400, text: "{}" }];
// More pages than are read: nothing of such a page is taken.
const OF_STATEMENTS: readonly [Fault, ...Fault[]] = [
  { kind: "drift", amountMinor: 77n, isNew: true },
  { kind: "endless", rows: 1, pages: 201 },
];
// A refund fails meanwhile, and succeeds when it is found.
const OF_RETURNS: readonly Fault[] = [{ kind: "refused_yet_made", status: 409, hiddenSeconds: 600 }];

/** What goes wrong at a bank: a part of its answers, and half of its callbacks. */
export class Weather {
  /** How often each kind of fault came. */
  readonly faults = new Tally(
    [...ANYWHERE, ...OF_CHARGES, ...OF_NEW_CHARGES, ...OF_STATEMENTS, ...OF_RETURNS].map(nameOf),
  );
  readonly #bank: Bank;
  readonly #random: Random;
  readonly #rate: number;
  #isClear = false;

  constructor(bank: Bank, random: Random, rate: number) {
    this.#bank = bank;
    this.#random = random;
    this.#rate = rate;
    bank.faults.draw = (call) => this.#draw(call);
  }

  /** Draws what becomes of the next callbacks: half are lost, the others come at once, or late and otherwise. */
  shift(): void {
    const { callbacks } = this.#bank;
    if (this.#isClear) return;
    callbacks.mode = this.#random.pick(["lost", "lost", "prompt", "held"]);
  }

  /** Posts what was held: in any order, together or again. */
  async deliver(): Promise<void> {
    const isBatched = this.#random.fraction() < 0.5;
    const isReversed = this.#random.fraction() < 0.5;
    await this.#bank.callbacks.deliver({ isBatched, isReversed, times: this.#random.integer(1, 3) });
    await this.#bank.callbacks.settled();
  }

  /** From now on nothing goes wrong. */
  clear(): void {
    this.#isClear = true;
    this.#bank.faults.draw = () => undefined;
    this.#bank.callbacks.mode = "prompt";
  }

  #draw(call: CallName): Fault | undefined {
    const isStatement = call === "statement";
    // Statements are few: what they alone can have comes with the first ones.
    const isDue = isStatement && OF_STATEMENTS.some((fault) => this.faults.of(nameOf(fault)) === 0);
    if (!isDue && this.#random.fraction() >= this.#rate) return undefined;
    const isCharge = call === "createCharge" || call === "readCharge";
    const ofOthers = call === "return" ? OF_RETURNS : [];
    const ofCharges = call === "createCharge" ? [...OF_CHARGES, ...OF_NEW_CHARGES] : OF_CHARGES;
    const own = isCharge ? ofCharges : isStatement ? OF_STATEMENTS : ofOthers;
    const fault = this.faults.rarest(isDue ? OF_STATEMENTS : [...ANYWHERE, ...own], nameOf, this.#random);
    this.faults.add(nameOf(fault));
    return fault;
  }
}

function nameOf(fault: Fault): string {
  return fault.kind === "charge" ? fault.alteration : fault.kind;
}
