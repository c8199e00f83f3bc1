import type { Clock } from "../time/clock.ts";
import { secondsAfter } from "../time/clock.ts";
import type { Environment } from "../db/database.ts";

/** The result of a check's last round. */
export interface CheckResult {
  readonly name: string;
  readonly endedAt: Date;
  readonly problemCount: number;
}

// The owner of rows about all tenants: every table's key begins with a tenant.
const EVERY_TENANT = "default";
// A worker that takes longer counts as dead.
const ROUND_SECONDS_MAX = 600;
// Checks take at most a twentieth of the time, however much they read.
const REST_FACTOR = 20;

/** Coordinates rounds of checks: one of the workers runs a round when it is due, and all read its result. */
export class PeriodicChecks {
  readonly #environment: Environment;
  readonly #clock: Clock;

  constructor(environment: Environment, clock: Clock) {
    this.#environment = environment;
    this.#clock = clock;
  }

  /** Runs a round if it is due and no other worker runs it. The check returns its number of problems. */
  async run(name: string, intervalSeconds: number, check: () => Promise<number>): Promise<void> {
    const startedAt = new Date(this.#clock.nowMs());
    if (!(await this.#claim(name, startedAt, intervalSeconds))) return;
    const startedMs = performance.now();
    let problemCount: number;
    try {
      problemCount = await check();
    } catch (error) {
      await this.#release(name, secondsAfter(startedAt, intervalSeconds));
      throw error;
    }
    const restSeconds = Math.ceil(((performance.now() - startedMs) / 1000) * REST_FACTOR);
    const endedAt = new Date(this.#clock.nowMs());
    await this.#environment.pool.query({
      name: "end check",
      text: `UPDATE audit SET ended_at = $3, problem_count = $4, due_at = $5 WHERE tenant_id = $1 AND name = $2`,
      values: [
        EVERY_TENANT,
        name,
        endedAt,
        problemCount,
        secondsAfter(endedAt, Math.max(intervalSeconds, restSeconds)),
      ],
    });
  }

  /** Schedules the next try of a failed round after its ordinary interval. */
  async #release(name: string, dueAt: Date): Promise<void> {
    await this.#environment.pool
      .query({
        name: "release check",
        text: "UPDATE audit SET due_at = $3 WHERE tenant_id = $1 AND name = $2",
        values: [EVERY_TENANT, name, dueAt],
      })
      .catch(() => undefined);
  }

  async results(): Promise<CheckResult[]> {
    const { rows } = await this.#environment.pool.query<{
      name: string;
      endedMs: number;
      problemCount: number;
    }>({
      name: "checks",
      text: `SELECT name, (date_part('epoch', ended_at) * 1000)::float8 AS "endedMs", problem_count AS "problemCount"
        FROM audit WHERE tenant_id = $1 AND ended_at IS NOT NULL`,
      values: [EVERY_TENANT],
    });
    return rows.map(({ endedMs, ...row }) => ({ ...row, endedAt: new Date(endedMs) }));
  }

  async #claim(name: string, now: Date, intervalSeconds: number): Promise<boolean> {
    const until = secondsAfter(now, Math.max(intervalSeconds, ROUND_SECONDS_MAX));
    const { rowCount } = await this.#environment.pool.query({
      name: "claim check",
      text: `INSERT INTO audit (tenant_id, name, due_at) VALUES ($1, $2, $4)
        ON CONFLICT (tenant_id, name) DO UPDATE SET due_at = excluded.due_at WHERE audit.due_at <= $3 RETURNING 1`,
      values: [EVERY_TENANT, name, now, until],
    });
    return rowCount === 1;
  }
}
