import { MODES, type Mode } from "../platform/rpc/caller.ts";
import { PeriodicChecks } from "../platform/work/periodic-checks.ts";
import { secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import { checkBooks, PROBLEMS_MAX, type Problem } from "./books.ts";
import { sumAgain } from "./line-sums.ts";
import { findPriceDifferences } from "./price-parity.ts";
import { tenantsToSumAgain } from "./sum-check.ts";

const BOOKS = "books";
const RECENT_PRICES = "recent prices";
const ALL_PRICES = "all prices";
const BOOKS_SECONDS = 300;
const RECENT_PRICES_SECONDS = 60;
const ALL_PRICES_SECONDS = 3600;
// Longer than the interval between two checks of all prices, so that a difference found once stays reported in between.
const RECENT_SECONDS = 2 * ALL_PRICES_SECONDS;

/** The latest results of the checks of an environment's books and prices. */
export interface Standing {
  readonly mode: Mode;
  readonly bookProblemCount: number | undefined;
  readonly booksCheckedAt: Date | undefined;
  readonly priceDifferenceCount: number | undefined;
  readonly pricesCheckedAt: Date | undefined;
}

export interface LedgerCheckDeps {
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly clock: Clock;
  readonly log: FaultLog;
}

/** Checks books and prices periodically, and logs the problems it finds. */
export class LedgerChecks {
  readonly #deps: LedgerCheckDeps;
  readonly #checks: Readonly<Record<Mode, PeriodicChecks>>;

  constructor(deps: LedgerCheckDeps) {
    this.#deps = deps;
    const { live, test } = deps.environments;
    this.#checks = { live: new PeriodicChecks(live, deps.clock), test: new PeriodicChecks(test, deps.clock) };
  }

  async checkBooks(mode: Mode): Promise<void> {
    await this.#checks[mode].run(BOOKS, BOOKS_SECONDS, async () => {
      const { problems } = await checkBooks(this.#deps.environments[mode]);
      // A list that is cut off does not say which books are right.
      const again = problems.length < PROBLEMS_MAX ? tenantsToSumAgain(problems) : [];
      for (const tenantId of again) await sumAgain(this.#deps.environments[mode].pool, tenantId);
      return this.#logProblems(mode, problems, "the books do not balance");
    });
  }

  async checkPrices(mode: Mode): Promise<void> {
    const since = secondsAfter(new Date(this.#deps.clock.nowMs()), -RECENT_SECONDS);
    const differences = async (from: Date | null): Promise<number> => {
      const found = await findPriceDifferences(this.#deps.environments[mode], from);
      return this.#logProblems(mode, found, "prices are not at parity");
    };
    await this.#checks[mode].run(ALL_PRICES, ALL_PRICES_SECONDS, async () => await differences(null));
    await this.#checks[mode].run(RECENT_PRICES, RECENT_PRICES_SECONDS, async () => await differences(since));
  }

  /** Returns the results of the latest rounds, of any worker. */
  async standings(): Promise<Standing[]> {
    return await Promise.all(
      MODES.map(async (mode) => {
        const results = new Map((await this.#checks[mode].results()).map((result) => [result.name, result]));
        const [books, recent, all] = [BOOKS, RECENT_PRICES, ALL_PRICES].map((name) => results.get(name));
        const counts = [recent, all].flatMap((result) => result?.problemCount ?? []);
        return {
          mode,
          bookProblemCount: books?.problemCount,
          booksCheckedAt: books?.endedAt,
          priceDifferenceCount: counts.length > 0 ? Math.max(...counts) : undefined,
          pricesCheckedAt: recent?.endedAt ?? all?.endedAt,
        };
      }),
    );
  }

  #logProblems(mode: Mode, problems: readonly Problem[], message: string): number {
    if (problems.length > 0) {
      this.#deps.log.error(
        {
          mode,
          count: problems.length,
          codes: [...new Set(problems.map(({ code }) => code))],
          payment_ids: [...new Set(problems.flatMap(({ paymentId }) => paymentId || []))],
        },
        message,
      );
    }
    return problems.length;
  }
}
