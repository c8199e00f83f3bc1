import { Occupancy, type Holder, type OccupancyBounds } from "../../../contract/occupancy.ts";
import { STALL_MS } from "../../../contract/reading-pace.ts";
import type { CallerKind } from "./call-holder.ts";
import type { Outlet } from "./outlet.ts";
import { UnreadAnswer, type Room } from "./unread-answer.ts";

const KIB = 1024;
const MIB = KIB * KIB;
// What an answer takes besides its bytes: its stream.
const STREAM_BYTES = 16 * KIB;
const LARGE_BYTES = 256 * KIB;
// Who has less free than this is refused before the work: the largest answer, a page with as much metadata as can be,
// has 6 MB.
const FREE_PART = 1 / 4;
const CHECK_MS = 1000;
// Of an answer whose client has more unread than it may have, such as a refusal.
const OVER_STALL_MS = 2000;

/**
 * Answers are counted apart by who reads them, so that the one cannot take the room of the others; and small ones apart
 * from large ones, which are fewer. Gateways read at once, for all merchants.
 */
const BOUNDS = {
  stranger: sizes(
    { all: 16 * MIB, ofOne: 2 * MIB, ofGroup: 4 * MIB },
    { all: 16 * MIB, ofOne: 2 * MIB, ofGroup: 4 * MIB },
  ),
  token: sizes({ all: 64 * MIB, ofOne: 16 * MIB }, { all: 128 * MIB, ofOne: 32 * MIB }),
  gateway: sizes({ all: 64 * MIB, ofOne: 64 * MIB }, { all: 256 * MIB, ofOne: 256 * MIB }),
};

function sizes(small: OccupancyBounds, large: OccupancyBounds) {
  return { small, large };
}

/** Who reads an answer: a network, a named token, or the gateways. */
export interface Reader {
  readonly kind: CallerKind;
  readonly holder: Holder;
}

export interface AnswerTimes {
  /** The time for which a client may take nothing of an answer. */
  readonly stallMs: number;
}

/**
 * Bounds the answers that clients have not taken yet: in bytes by reader and in all, and in time. A stream whose client
 * opens no window holds its answer, and a PING keeps its connection open.
 */
export class UnreadAnswers {
  readonly #stallMs: number;
  readonly #pools = new Map<OccupancyBounds, Occupancy>();
  readonly #unread = new Set<UnreadAnswer>();
  #checks: NodeJS.Timeout | undefined;

  constructor({ stallMs }: AnswerTimes = { stallMs: STALL_MS }) {
    this.#stallMs = stallMs;
    for (const { small, large } of Object.values(BOUNDS)) {
      for (const bounds of [small, large]) this.#pools.set(bounds, new Occupancy(bounds));
    }
  }

  /** Returns whether another answer of this size exceeds the bound of its reader, or a large one that of all. */
  exceeds({ kind, holder }: Reader, bytes: number): boolean {
    const exceeded = this.#poolOf(kind, bytes).exceeded(holder, STREAM_BYTES + bytes);
    return exceeded === "ofOne" || (exceeded === "all" && bytes >= LARGE_BYTES);
  }

  /** Returns whether the reader has too little room for another answer. */
  isFull({ kind, holder }: Reader): boolean {
    const { small, large } = BOUNDS[kind];
    return [small, large].some(
      (bounds) => this.#pools.get(bounds)?.exceeded(holder, bounds.ofOne * FREE_PART) === "ofOne",
    );
  }

  /** Begins to watch an answer of the reader. */
  watch(outlet: Outlet, { kind, holder }: Reader): UnreadAnswer {
    let [pool, held] = [this.#poolOf(kind, 0), 0];
    const room: Room = {
      hold: (bytes) => {
        pool.add(holder, -held);
        held = bytes === 0 ? 0 : STREAM_BYTES + bytes;
        pool = this.#poolOf(kind, bytes);
        pool.add(holder, held);
        return { isOver: pool.exceeded(holder, 0) !== undefined };
      },
    };
    const times = { stallMs: this.#stallMs, overStallMs: Math.min(OVER_STALL_MS, this.#stallMs) };
    const answer = new UnreadAnswer(outlet, room, times);
    if (outlet.isClosed) return answer;
    this.#unread.add(answer);
    outlet.onClose(() => this.#unread.delete(answer));
    this.#checks ??= setInterval(() => this.#check(), Math.min(CHECK_MS, this.#stallMs / 4)).unref();
    return answer;
  }

  #poolOf(kind: CallerKind, bytes: number): Occupancy {
    const { small, large } = BOUNDS[kind];
    return this.#pools.get(bytes < LARGE_BYTES ? small : large) as Occupancy;
  }

  #check(): void {
    const now = performance.now();
    for (const answer of this.#unread) answer.check(now);
    if (this.#unread.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }
}
