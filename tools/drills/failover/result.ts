import type { Log } from "../acknowledged.ts";
import type { Fault } from "./fault.ts";

/** What one round came to. */
export interface RoundResult {
  readonly fault: Fault;
  /** Whether there was a primary with its standby again; else the keys were not asked again. */
  readonly isHealed: boolean;
  readonly log: Log;
  /** Longest time without an acknowledged write, from the fault on. */
  readonly gapMs: number;
  /** The same, from the return of the old primary on. */
  readonly rejoinGapMs: number;
  /** Longest time to any answer of `/readyz`. */
  readonly readyzMs: number;
  /** The same, of a list that reads the database. */
  readonly listMs: number;
  /** Acknowledged and gone. */
  readonly lost: number;
  /** Acknowledged and replayed as something else. */
  readonly changed: number;
  /** Never definite. */
  readonly undecided: number;
  /** Keys that made two links. */
  readonly doubled: number;
  /** Looks that found two primaries, and writes that the old one acknowledged. */
  readonly splitBrain: number;
}

/** Whether everything that was promised holds. */
export function isClean(result: RoundResult): boolean {
  const { isHealed, lost, changed, undecided, doubled, splitBrain, log } = result;
  return isHealed && lost + changed + undecided + doubled + splitBrain + log.unexpected.length === 0;
}
