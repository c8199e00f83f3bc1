const REST_MS_MIN = 1000;
const REST_MS_MAX = 30_000;

/** A core of several, as far as its turn is concerned. */
export interface RestingPeer {
  /** Milliseconds between two probes while it rests, 0 while it is in use. */
  readonly restMs: number;
}

/** Returns the rest after another failed probe: a second, then twice the last one, at most 30 seconds. */
export function longerRest(restMs: number): number {
  return Math.min(Math.max(restMs * 2, REST_MS_MIN), REST_MS_MAX);
}

/** Returns the peers in the order of a call: those in use from `turn` on, then the resting ones, shortest rest first. */
export function inOrder<Peer extends RestingPeer>(peers: readonly Peer[], turn: number): Peer[] {
  return [...peers.slice(turn), ...peers.slice(0, turn)].toSorted((one, other) => one.restMs - other.restMs);
}
