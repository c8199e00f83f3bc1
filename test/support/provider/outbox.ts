import { Agent, request } from "undici";

/** News for one address. */
export interface Note {
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The registered callback that it belongs to. */
  readonly hookId: string;
}

/** A post to a client's address, with its outcome. */
export interface Delivery extends Note {
  /** Null if there was no answer. */
  readonly status: number | null;
}

export interface DeliveryOptions {
  /** The last one first. */
  readonly isReversed?: boolean;
  /** How often each post is made. */
  readonly times?: number;
}

export interface OutboxRules {
  /** True: the client took it. */
  isTaken(status: number | null): boolean;
  /** False: the callback's queue is stopped, and its news wait. */
  isOpen(hookId: string): boolean;
  /** True: what was not taken holds back what comes after it. */
  isOrdered(hookId: string): boolean;
  /** Told after each post. */
  onOutcome(note: Note, isTaken: boolean): void;
}

const ANSWER_MS = 10_000;

/** A provider's callbacks, each address's news one after the other. */
export class Outbox {
  /** "prompt": posted at once. "held": kept until `deliver`. "lost": never posted. */
  mode: "prompt" | "held" | "lost" = "prompt";
  readonly deliveries: Delivery[] = [];
  lostCount = 0;
  readonly #rules: OutboxRules;
  readonly #agent = new Agent({ headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  readonly #held: Note[] = [];
  /** What was not taken, and what waits behind it. */
  #waiting: Note[] = [];
  readonly #queues = new Map<string, Promise<void>>();

  constructor(rules: OutboxRules) {
    this.#rules = rules;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  tell(note: Note): void {
    if (this.mode === "lost") this.lostCount++;
    else if (this.mode === "held") this.#held.push(note);
    else this.#enqueue(note);
  }

  /** Posts what was held. Resolves when all posts were answered. */
  async deliver({ isReversed = false, times = 1 }: DeliveryOptions = {}): Promise<void> {
    const notes = this.#held.splice(0);
    if (isReversed) notes.reverse();
    for (const note of notes) for (let time = 0; time < times; time++) this.#enqueue(note);
    await this.settled();
  }

  /** Posts once more what was not taken, as the provider does after a while. */
  async retry(): Promise<void> {
    const notes = this.#waiting;
    this.#waiting = [];
    for (const note of notes) this.#enqueue(note);
    await this.settled();
  }

  /** Resolves when no post is under way. */
  async settled(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(this.#queues.values());
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.settled();
  }

  #enqueue(note: Note): void {
    const { hookId } = note;
    const before = this.#queues.get(hookId) ?? Promise.resolve();
    const turn = before.then(() => this.#turn(note));
    this.#queues.set(hookId, turn);
    void turn.finally(() => {
      if (this.#queues.get(hookId) === turn) this.#queues.delete(hookId);
    });
  }

  async #turn(note: Note): Promise<void> {
    const isBlocked =
      this.#rules.isOrdered(note.hookId) && this.#waiting.some(({ hookId }) => hookId === note.hookId);
    if (isBlocked || !this.#rules.isOpen(note.hookId)) {
      this.#waiting.push(note);
      return;
    }
    const status = await this.#post(note);
    const isTaken = this.#rules.isTaken(status);
    if (!isTaken) this.#waiting.push(note);
    this.#rules.onOutcome(note, isTaken);
  }

  async #post(note: Note): Promise<number | null> {
    let status: number | null = null;
    try {
      const answer = await request(note.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...note.headers },
        body: note.text,
        dispatcher: this.#agent,
      });
      status = answer.statusCode;
      await answer.body.dump();
    } catch {
      // A client that cannot be reached learns of its money by asking.
    }
    this.deliveries.push({ ...note, status });
    return status;
  }
}
