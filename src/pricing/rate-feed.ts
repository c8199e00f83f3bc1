import { bankDayOf, beforeBankMs, dayOf, type Overrides } from "../platform/time/business-days.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { AnnouncedCache } from "../platform/db/cache.ts";
import { insert, notify } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import { newId } from "../../contract/ids.ts";
import { FxHeldRate, FxSpot, type FxSpotRow } from "./entities.ts";
import { PtaxFault, type Bulletin } from "./ptax-answer.ts";
import type { PtaxSource } from "./ptax-source.ts";
import { formatMicros } from "./rate.ts";
import { findRateBefore, lastFetchedAt } from "./rate-records.ts";
import { DEFAULT_TENANT, findNewestSpot } from "./repository.ts";

/** The source of the rates that the central bank publishes. */
const PTAX = "ptax";

export interface RateFeedDeps {
  readonly environment: Environment;
  readonly source: Pick<PtaxSource, "newest" | "end">;
  /** The age in seconds of bank-open time past which a fetched rate is not used. */
  readonly maxAgeSeconds: number;
  /** Finds the days that differ from the bank calendar. */
  readonly findOverrides: () => Promise<Overrides>;
  readonly cache: Pick<AnnouncedCache, "drop">;
  readonly clock: Clock;
  readonly log: FaultLog & { info(details: object, message: string): void };
}

// The topic of what prices are made of.
const PRICES = "pricing:live";
const INTERVAL_SECONDS = 60;
const RETRY_SECONDS_MAX = 900;
// Longer than any row of days without a bulletin.
const DAYS_ASKED = 10;
const JUMP_PERCENT_MAX = 5n;
// Bank-open time in which a source moves no further than that. A bulletin may be six hours earlier than the day before's.
const JUMP_WINDOW_MS = 18 * 3_600_000;
// A bulletin may be ahead of this machine's clock by as much.
const AHEAD_SECONDS_MAX = 300;

/** Fetches live mode's rate from the central bank. Of all workers, one asks, at most once a minute. */
export class RateFeed {
  readonly #deps: RateFeedDeps;
  #isEnding = false;

  constructor(deps: RateFeedDeps) {
    this.#deps = deps;
  }

  /** Asks for a newer rate if that is due. A failure is logged, and tried again after 1, 2, 4, 8 and then 15 minutes. */
  async round(): Promise<void> {
    const { source, clock } = this.#deps;
    const now = wholeSecond(clock);
    if (!(await this.#claim(now))) return;
    let found: Bulletin | undefined;
    try {
      const today = dayOf(now);
      found = await source.newest(today.subtract({ days: DAYS_ASKED }), today);
      if (found && found.publishedAt > secondsAfter(now, AHEAD_SECONDS_MAX)) {
        throw new PtaxFault("in_future", "the newest bulletin is of a later time than now");
      }
    } catch (error) {
      if (this.#isEnding) return;
      await this.#failed(error, now);
      return;
    }
    if (found) await this.#record(found, now);
    await this.#succeeded(now);
  }

  /** Ends the current request. */
  end(): void {
    this.#isEnding = true;
    this.#deps.source.end();
  }

  async #record({ text, publishedAt, spotMicros }: Bulletin, now: Date): Promise<void> {
    const { environment, maxAgeSeconds, cache, log } = this.#deps;
    const known = await lastFetchedAt(environment, PTAX);
    if (known && publishedAt <= known) return;
    const rate = {
      tenantId: DEFAULT_TENANT,
      id: newId("fxs"),
      spotMicros,
      source: PTAX,
      bulletin: text,
      maxAgeSeconds: BigInt(maxAgeSeconds),
      publishedAt,
      fetchedAt: now,
    };
    const details = { source: PTAX, bulletin: text, spot: formatMicros(spotMicros), fx_spot_id: rate.id };
    const objection = await this.#objectionTo(rate);
    // "overtaken": another worker has recorded the bulletin.
    if (objection) {
      const { against, message } = objection;
      const held = { ...rate, lastSpotId: against.id, lastMicros: against.spotMicros };
      const result = await environment.committer.commit([insert(FxHeldRate, held)], NO_ENTRY);
      if (result !== "committed") return;
      log.error({ ...details, last_spot: formatMicros(against.spotMicros) }, message);
      return;
    }
    const changes = [insert(FxSpot, rate), notify(PRICES)];
    if ((await environment.committer.commit(changes, NO_ENTRY)) !== "committed") return;
    cache.drop(PRICES);
    log.info(details, "a rate was fetched");
  }

  /** Returns why a fetched rate waits for a person, with the rate that it was compared with; undefined: it does not. */
  async #objectionTo({
    spotMicros,
    publishedAt,
  }: Pick<FxSpotRow, "spotMicros" | "publishedAt">): Promise<Objection | undefined> {
    const { environment, findOverrides } = this.#deps;
    const last = await findNewestSpot(environment);
    if (!last) return undefined;
    const overrides = await findOverrides();
    const until = beforeBankMs(publishedAt, JUMP_WINDOW_MS, overrides);
    const before = (await findRateBefore(environment, PTAX, until)) ?? last;
    const against = [last, before].find((rate) => isJump(rate.spotMicros, spotMicros));
    if (against) return { against, message: "a rate jumped: it is held until a release" };
    const [day, lastDay] = [publishedAt, last.publishedAt].map((at) => bankDayOf(at, overrides).toString());
    return last.source === PTAX && day === lastDay
      ? { against: last, message: "a second rate of one bank day is held until a release" }
      : undefined;
  }

  /** Returns true if this worker is to ask now. */
  async #claim(now: Date): Promise<boolean> {
    const { rowCount } = await this.#deps.environment.pool.query({
      name: "claim fx feed",
      text: `INSERT INTO fx_feed (tenant_id, source, due_at) VALUES ($1, $2, $4)
        ON CONFLICT (tenant_id, source) DO UPDATE SET due_at = excluded.due_at WHERE fx_feed.due_at <= $3 RETURNING 1`,
      values: [DEFAULT_TENANT, PTAX, now, secondsAfter(now, INTERVAL_SECONDS)],
    });
    return rowCount === 1;
  }

  async #succeeded(now: Date): Promise<void> {
    await this.#deps.environment.pool.query({
      name: "end fx feed",
      text: `UPDATE fx_feed SET answered_at = $3, failure_count = 0, failure = NULL WHERE tenant_id = $1 AND source = $2`,
      values: [DEFAULT_TENANT, PTAX, now],
    });
  }

  async #failed(error: unknown, now: Date): Promise<void> {
    const code = error instanceof PtaxFault ? error.code : "error";
    const { environment, log } = this.#deps;
    const { rows } = await environment.pool.query<{ count: number }>({
      name: "fail fx feed",
      text: `UPDATE fx_feed SET failure_count = failure_count + 1, failure = $3,
          due_at = $4::timestamptz + LEAST($5 * 2 ^ LEAST(failure_count, 10), $6) * interval '1 second'
        WHERE tenant_id = $1 AND source = $2 RETURNING failure_count AS count`,
      values: [DEFAULT_TENANT, PTAX, code, now, INTERVAL_SECONDS, RETRY_SECONDS_MAX],
    });
    log.error({ source: PTAX, code, count: rows[0]?.count, err: error }, "no rate was fetched");
  }
}

/** Why a fetched rate is held. */
interface Objection {
  readonly against: FxSpotRow;
  readonly message: string;
}

function isJump(lastMicros: bigint, micros: bigint): boolean {
  const difference = micros > lastMicros ? micros - lastMicros : lastMicros - micros;
  return difference * 100n > lastMicros * JUMP_PERCENT_MAX;
}
