import { Code, ConnectError } from "@connectrpc/connect";

// Reading, checking and storing an element takes about five microseconds: this leaves three quarters of the time for
// other work.
const ELEMENTS_PER_MS = 50;
// The limit of one holder of tokens.
const WAITING_MAX = 8;

interface Queue {
  waiting: number;
  /** Time of the next turn. */
  at: number;
}

/** Admits the large messages of each holder of named tokens one after the other, at a rate that leaves time for other work. */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  /** Error: resource_exhausted if too many wait already. */
  checkRoom(holder: string): void {
    if ((this.#queues.get(holder)?.waiting ?? 0) < WAITING_MAX) return;
    throw new ConnectError("Too many large requests of this token wait already.", Code.ResourceExhausted);
  }

  async take(holder: string, elements: number): Promise<void> {
    const now = performance.now();
    const queue = this.#queues.get(holder) ?? { waiting: 0, at: now };
    this.#queues.set(holder, queue);
    const wait = queue.at - now;
    queue.at = Math.max(queue.at, now) + elements / ELEMENTS_PER_MS;
    queue.waiting++;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    queue.waiting--;
    if (queue.waiting === 0 && queue.at <= performance.now()) this.#queues.delete(holder);
  }
}
