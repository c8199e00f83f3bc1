import type pg from "pg";
import type { Mode } from "../rpc/caller.ts";
import type { Environment } from "./database.ts";

/** A replica and how far it may be behind. */
export interface ReplicaSettings {
  readonly url: string;
  /** The maximum age, in milliseconds, of what a read of it may show. */
  readonly lagMsMax: number;
}

/** What is known of a replica. */
export interface ReplicaStanding {
  /** How old what it shows may be; undefined: it did not answer, or is no replica of this database. */
  readonly lagMs: number | undefined;
  /** True: reads go there. */
  readonly isUsed: boolean;
}

export interface ReplicaParts {
  readonly primary: Pick<pg.Pool, "query">;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly lagMsMax: number;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

interface Written {
  readonly position: bigint;
  readonly atMs: number;
}

interface Look {
  readonly position: string;
  readonly system: string;
  readonly isReplica: boolean;
}

const LOOK = `SELECT system_identifier::text AS system, pg_is_in_recovery() AS "isReplica",
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END)::text AS position
  FROM pg_control_system()`;
const REMEMBERED = 60;

/**
 * A streaming replica for reads that decide nothing. How far it is behind is the time since the primary had written what
 * the replica has replayed, which compares no clocks and grows only while something is missing. It is used while that is
 * within the bound.
 */
export class Replica {
  readonly #parts: ReplicaParts;
  readonly #nowMs: () => number;
  // What the primary had written at its latest looks, the newest last.
  #written: readonly Written[] = [];
  /** The time up to which everything is known to be replayed. */
  #freshMs: number | undefined;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
  }

  get standing(): ReplicaStanding {
    const lagMs = this.#freshMs === undefined ? undefined : this.#nowMs() - this.#freshMs;
    return { lagMs, isUsed: lagMs !== undefined && lagMs <= this.#parts.lagMsMax };
  }

  /** Returns the mode's environment on the replica, whose changes go to the primary. Undefined: it is not to be used now. */
  environment(mode: Mode): Environment | undefined {
    return this.standing.isUsed ? this.#parts.environments[mode] : undefined;
  }

  /** Is called when a read of it failed: it is used again after the next look that finds it well. */
  distrust(): void {
    this.#freshMs = undefined;
  }

  /** Asks both servers where they are. */
  async look(): Promise<void> {
    const { primary, environments } = this.#parts;
    try {
      const atMs = this.#nowMs();
      const wrote = await lookAt(primary);
      this.#note({ position: positionOf(wrote.position), atMs });
      const replayed = await lookAt(environments.live.pool);
      const isOurs = replayed.isReplica && !wrote.isReplica && replayed.system === wrote.system;
      this.#freshMs = isOurs ? this.#timeOf(positionOf(replayed.position)) : undefined;
    } catch {
      this.#freshMs = undefined;
    }
  }

  #note(written: Written): void {
    // After a failover the new primary may be behind what the former one wrote.
    const before = this.#written.filter(({ position }) => position <= written.position);
    this.#written = [...before, written].slice(-REMEMBERED);
  }

  /** Returns when the primary had written no more than that. */
  #timeOf(position: bigint): number | undefined {
    return this.#written.findLast((written) => written.position <= position)?.atMs;
  }
}

async function lookAt(pool: Pick<pg.Pool, "query">): Promise<Look> {
  const { rows } = await pool.query<Look>({ name: "where the server is", text: LOOK });
  if (!rows[0]) throw new Error("the server does not say where it is");
  return rows[0];
}

/** Returns a position in PostgreSQL's log, such as 16/B374D848, as a number. */
function positionOf(text: string): bigint {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
