import { longestReadMs } from "../../../contract/reading-pace.ts";
import type { Outlet } from "./outlet.ts";

// Between two of them it is seen how far the client has read.
const SLICE_BYTES = 64 * 1024;

/** Counts bytes for a client until they are given back. */
export interface Room {
  /** Counts so many bytes instead of those before; `isOver` is true if the client has more than it may have. */
  hold(bytes: number): { readonly isOver: boolean };
}

/** For how long a client may take nothing. */
export interface StallTimes {
  readonly stallMs: number;
  /** While the client has more unread than it may have. */
  readonly overStallMs: number;
}

/** One answer, from its first byte until its client has taken the last one. */
export class UnreadAnswer {
  readonly #outlet: Outlet;
  readonly #room: Room;
  readonly #times: StallTimes;
  /** Of what was written last, and is not passed on yet. */
  #waitingBytes = 0;
  #passedBytes = 0;
  #isComplete = false;
  #isOver = false;
  #isCut = false;
  /** Absent: nothing waits for the client. */
  #wait: { sinceMs: number; takenBefore: number; taken: number; progressMs: number } | undefined;

  constructor(outlet: Outlet, room: Room, times: StallTimes) {
    this.#outlet = outlet;
    this.#room = room;
    this.#times = times;
    outlet.onClose(() => room.hold(0));
  }

  /** Counts an answer of this size, whose bytes follow. */
  expect(bytes: number): void {
    this.#hold(bytes);
  }

  /** Passes an answer on, as the client takes it. */
  async *send(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let lengthBefore = 0;
    for await (const chunk of body) {
      // What waits of the chunk before keeps all of it in memory.
      this.#hold(chunk.length + (this.#outlet.unsentBytes > 0 ? lengthBefore : 0));
      lengthBefore = chunk.length;
      this.#waitingBytes = chunk.length;
      for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
        const slice = chunk.subarray(start, start + SLICE_BYTES);
        this.#waitingBytes -= slice.length;
        this.#passedBytes += slice.length;
        yield slice;
      }
    }
    this.#isComplete = true;
  }

  /** Cuts the answer off if the client takes nothing, or too little. */
  check(nowMs: number): void {
    const unsentBytes = this.#outlet.unsentBytes;
    if (this.#waitingBytes + unsentBytes === 0 && !this.#isComplete) {
      this.#wait = undefined;
      this.#room.hold(0);
      return;
    }
    const taken = this.#passedBytes - unsentBytes;
    this.#wait ??= { sinceMs: nowMs, takenBefore: taken, taken, progressMs: nowMs };
    const wait = this.#wait;
    if (taken > wait.taken) Object.assign(wait, { taken, progressMs: nowMs });
    const stallMs = this.#isOver ? this.#times.overStallMs : this.#times.stallMs;
    const longestMs = longestReadMs(taken - wait.takenBefore, stallMs);
    const isSlow = nowMs - wait.progressMs > stallMs || nowMs - wait.sinceMs > longestMs;
    if (!isSlow || this.#isCut) return;
    this.#isCut = true;
    this.#outlet.cut();
  }

  #hold(bytes: number): void {
    // A client that left has no answer to read, and "close" does not come again.
    if (!this.#outlet.isClosed) this.#isOver = this.#room.hold(bytes).isOver;
  }
}
