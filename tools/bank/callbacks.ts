import { Agent, request } from "undici";
import type { CertificatePair } from "./options.ts";

/** A post to a client's address, with its outcome. */
export interface Delivery {
  readonly url: string;
  readonly body: object;
  /** Null if there was no answer. */
  readonly status: number | null;
}

interface Note {
  readonly webhookUrl: string;
  readonly pix: object;
}

export interface DeliveryOptions {
  /** All news of one address in one post. */
  readonly isBatched?: boolean;
  /** The last one first. */
  readonly isReversed?: boolean;
  /** How often each post is made. */
  readonly times?: number;
}

const ANSWER_MS = 10_000;

/** The bank's posts to `{webhookUrl}/pix`. */
export class Callbacks {
  /** "prompt": posted at once. "held": kept until `deliver`. "lost": never posted. */
  mode: "prompt" | "held" | "lost" = "prompt";
  readonly deliveries: Delivery[] = [];
  lostCount = 0;
  readonly #agent: Agent;
  readonly #held: Note[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(identity: CertificatePair | undefined, ca: string | undefined) {
    this.#agent = new Agent({
      connect: { ...identity, ...(ca === undefined ? {} : { ca }) },
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    });
  }

  /** Tells a client of its money. */
  tell(webhookUrl: string, pix: object): void {
    if (this.mode === "lost") {
      this.lostCount++;
      return;
    }
    if (this.mode === "held") {
      this.#held.push({ webhookUrl, pix });
      return;
    }
    this.#start(this.#post(webhookUrl, [pix]));
  }

  /** Posts what was held. Resolves when all posts were answered. */
  async deliver({ isBatched = false, isReversed = false, times = 1 }: DeliveryOptions = {}): Promise<void> {
    const notes = this.#held.splice(0);
    if (isReversed) notes.reverse();
    const batches = isBatched
      ? [...Map.groupBy(notes, ({ webhookUrl }) => webhookUrl).values()]
      : notes.map((note) => [note]);
    for (const batch of batches) {
      const pix = batch.map((note) => note.pix);
      for (let time = 0; time < times; time++) await this.#post(batch[0]?.webhookUrl ?? "", pix);
    }
  }

  /** Resolves when no post is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.settled();
  }

  #start(post: Promise<void>): void {
    this.#underWay.add(post);
    void post.finally(() => this.#underWay.delete(post));
  }

  async #post(webhookUrl: string, pix: readonly object[]): Promise<void> {
    const url = `${webhookUrl}/pix`;
    const body = { pix };
    let status: number | null = null;
    try {
      const answer = await request(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        dispatcher: this.#agent,
      });
      status = answer.statusCode;
      await answer.body.dump();
    } catch {
      // A client that cannot be reached learns of its money by asking.
    }
    this.deliveries.push({ url, body, status });
  }
}
