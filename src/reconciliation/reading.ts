import { createHash, hash } from "node:crypto";
import { dayAt, startOfDay } from "../../contract/day.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows } from "../platform/work/due-table.ts";
import { DueWork, type DueRow } from "../platform/work/due-work.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../providers/account-statement.ts";
import { isOutage, ProviderFault } from "../providers/provider-fault.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { daysToRead, type ReadDay } from "./reading-days.ts";
import { analyzeGrown } from "./statistics.ts";
import { dateOf, msOf } from "./times.ts";
import { makeRunDue, PAST_DAYS } from "./run-state.ts";

interface DueReading extends DueRow {
  readonly accountId: string;
  readonly firstDay: string;
  readonly failureCount: number;
}

// A worker that reads for longer has the account taken from it; what both read is the same.
const LEASE = "interval '1800 seconds'";
const READING_MS = 900_000;
const HOUR_SECONDS = 3600;
const FAILURE_SECONDS = 60;
const BATCH = 1000;
const FAULT_MAX = 200;

/** Reads what providers state of accounts, and keeps it. */
export class Reading {
  readonly #deps: ReconciliationDeps;
  readonly #work: Readonly<Record<Mode, DueWork<DueReading>>>;

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Reads the statements that are due, one of an account at a time. Returns their number. Throws the faults of those that ended. */
  async round(mode: Mode): Promise<number> {
    if (mode === "live") await this.#addAccounts();
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): DueWork<DueReading> {
    const { environments, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueRows<DueReading>(environments[mode].pool, clock, {
        name: "account statements",
        table: "statement_reading",
        key: ["accountId"],
        due: "due_at",
        columns: {
          tenantId: "tenant_id",
          accountId: "account_id",
          firstDay: "first_day::text",
          failureCount: "failure_count",
        },
        taken: `due_at = $1::timestamptz + ${LEASE}`,
      }),
      concurrency: { ofAccount: 1 },
      run: async (due) => await this.#read(mode, due),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "an account's statement could not be read"),
      failure: "statements of accounts could not be read",
    });
  }

  /** An account is read from its first day on, and from no day before PAST_DAYS ago. */
  async #addAccounts(): Promise<void> {
    const { environments, clock } = this.#deps;
    const nowMs = clock.nowMs();
    await environments.live.pool.query({
      name: "accounts with statements",
      text: `INSERT INTO statement_reading (tenant_id, account_id, first_day, due_at, failure_count)
        SELECT tenant_id, id, greatest((created_at AT TIME ZONE 'America/Sao_Paulo')::date, $1::date), $2, 0
        FROM provider_account account WHERE state = 'active' AND NOT EXISTS (SELECT FROM statement_reading reading
          WHERE reading.tenant_id = account.tenant_id AND reading.account_id = account.id)
        ON CONFLICT DO NOTHING`,
      values: [dayAt(nowMs).subtract({ days: PAST_DAYS }).toString(), new Date(nowMs)],
    });
  }

  async #read(mode: Mode, due: DueReading): Promise<void> {
    const { environments, clock, statementOf } = this.#deps;
    const environment = environments[mode];
    const { tenantId, accountId, firstDay } = due;
    let changedFrom: string | null = null;
    let newCount = 0;
    try {
      const statement = await statementOf(mode, tenantId, accountId);
      if (!statement) return await this.#end(mode, due, 24 * HOUR_SECONDS, 0);
      const known = await findReadDays(environment, tenantId, accountId);
      const signal = AbortSignal.timeout(READING_MS);
      let fault: unknown;
      for (const day of daysToRead({ firstDay, hasToday: statement.hasToday, nowMs: clock.nowMs() }, known)) {
        try {
          const read = await this.#readDay(mode, due, statement, day, signal);
          newCount += read.newCount;
          if (read.isChanged) changedFrom ??= day;
        } catch (error) {
          await this.#noteFault(mode, due, day, error);
          fault ??= error;
          if (!(error instanceof ProviderFault) || !isOfDay(error)) throw error;
        }
      }
      if (fault !== undefined) throw fault;
      await this.#end(mode, due, HOUR_SECONDS, 0);
    } catch (error) {
      const failureCount = due.failureCount + 1;
      const named = error instanceof ProviderFault ? error.retryAfterSeconds : null;
      const seconds = Math.min(FAILURE_SECONDS * 2 ** due.failureCount, HOUR_SECONDS);
      await this.#end(mode, due, Math.max(named ?? 0, seconds), failureCount);
      // What a provider has not made yet is asked for again, and nobody's fault.
      if (!(error instanceof ProviderFault) || !isOfDay(error)) throw error;
    } finally {
      await analyzeGrown(environment.pool, "statement_line", newCount);
      await makeRunDue(environment.pool, clock, tenantId, changedFrom);
    }
  }

  /** Keeps a day's lines and balances. Returns how many lines are new, and whether the day is to be judged again. */
  async #readDay(
    mode: Mode,
    { tenantId, accountId }: DueReading,
    statement: AccountStatement,
    day: string,
    signal: AbortSignal,
  ): Promise<{ readonly newCount: number; readonly isChanged: boolean }> {
    const { environments, clock } = this.#deps;
    const environment = environments[mode];
    const startedMs = clock.nowMs();
    let newCount = 0;
    let batch: StatementLine[] = [];
    const keep = async (): Promise<void> => {
      if (batch.length === 0) return;
      newCount += await insertLines(environment, tenantId, accountId, batch);
      batch = [];
    };
    for await (const line of statement.lines(day, signal)) {
      batch.push(line);
      if (batch.length >= BATCH) await keep();
    }
    await keep();
    const balance: DayBalance = statement.hasBalance
      ? await statement.balance(day, signal)
      : { openingMinor: null, closingMinor: null };
    const endMs = startOfDay(Temporal.PlainDate.from(day).add({ days: 1 }));
    await keepDay(environment, {
      tenantId,
      accountId,
      day,
      balance,
      isComplete: startedMs >= endMs,
      readAt: new Date(startedMs),
    });
    return { newCount, isChanged: newCount > 0 || startedMs >= endMs };
  }

  async #noteFault(mode: Mode, due: DueReading, day: string, error: unknown): Promise<void> {
    const { environments } = this.#deps;
    const text = error instanceof ProviderFault ? `${error.kind} ${error.code ?? ""}`.trim() : "internal";
    await environments[mode].pool.query({
      name: "fault of a statement day",
      text: `INSERT INTO statement_day (tenant_id, account_id, day, line_count, lines_minor, lines_sha256, is_complete, fault)
        VALUES ($1, $2, $3, 0, 0, $4, false, $5)
        ON CONFLICT (tenant_id, account_id, day) DO UPDATE SET fault = $5`,
      values: [due.tenantId, due.accountId, day, hash("sha256", "", "hex"), text.slice(0, FAULT_MAX)],
    });
  }

  async #end(mode: Mode, due: DueReading, seconds: number, failureCount: number): Promise<void> {
    const { environments, clock } = this.#deps;
    await environments[mode].pool.query({
      name: "end of a statement's reading",
      text: `UPDATE statement_reading SET due_at = $3, failure_count = $4 WHERE tenant_id = $1 AND account_id = $2`,
      values: [due.tenantId, due.accountId, new Date(clock.nowMs() + seconds * 1000), failureCount],
    });
  }
}

/** Other days can be read after such a fault. */
function isOfDay({ code }: ProviderFault): boolean {
  return code === "report_not_ready" || code === "day_not_over" || code === "shifting_pages";
}

/** Returns the days of an account's statement that were read, or were to be. */
export async function findReadDays(
  { pool }: Environment,
  tenantId: string,
  accountId: string,
): Promise<ReadDay[]> {
  const { rows } = await pool.query<Omit<ReadDay, "readAt"> & { readMs: string | null }>({
    name: "statement days of an account",
    text: `SELECT day::text AS day, is_complete AS "isComplete", ${msOf("read_at")} AS "readMs" FROM statement_day
      WHERE tenant_id = $1 AND account_id = $2 ORDER BY day`,
    values: [tenantId, accountId],
  });
  return rows.map(({ readMs, ...row }) => ({ ...row, readAt: dateOf(readMs) }));
}

/** Stores the lines that are not known. Returns their number. */
async function insertLines(
  { pool }: Environment,
  tenantId: string,
  accountId: string,
  lines: readonly StatementLine[],
): Promise<number> {
  const { rowCount } = await pool.query({
    name: "insert statement lines",
    text: `INSERT INTO statement_line (tenant_id, account_id, kind, provider_line_id, day, at, amount_minor, reference,
        end_to_end_id, provider_payment_id, installment, settlement_id, text, balance_minor, raw_sha256)
      SELECT $1, $2, new.* FROM unnest($3::text[], $4::text[], $5::date[], $6::timestamptz[], $7::int8[], $8::text[],
        $9::text[], $10::text[], $11::int[], $12::text[], $13::text[], $14::int8[], $15::text[]) AS new
      ON CONFLICT DO NOTHING`,
    values: [
      tenantId,
      accountId,
      lines.map(({ kind }) => kind),
      lines.map(({ id }) => id),
      lines.map(({ day }) => day),
      lines.map(({ at }) => at),
      lines.map(({ amountMinor }) => amountMinor),
      lines.map(({ reference }) => reference),
      lines.map(({ endToEndId }) => endToEndId),
      lines.map(({ providerPaymentId }) => providerPaymentId),
      lines.map(({ installment }) => installment),
      lines.map(({ settlementId }) => settlementId),
      lines.map(({ text }) => text),
      lines.map(({ balanceMinor }) => balanceMinor),
      lines.map(({ raw }) => hash("sha256", raw, "hex")),
    ],
  });
  return rowCount ?? 0;
}

interface KeptDay {
  readonly tenantId: string;
  readonly accountId: string;
  readonly day: string;
  readonly balance: DayBalance;
  readonly isComplete: boolean;
  readonly readAt: Date;
}

/** Keeps what a day's lines are together: their number, their sum, and the hash of their hashes. */
async function keepDay(
  { pool }: Environment,
  { tenantId, accountId, day, balance, isComplete, readAt }: KeptDay,
): Promise<void> {
  const { rows } = await pool.query<{ minor: string; sha256: string }>({
    name: "lines of a statement day",
    text: `SELECT amount_minor::text AS minor, raw_sha256 AS sha256 FROM statement_line
      WHERE tenant_id = $1 AND account_id = $2 AND day = $3 ORDER BY kind, provider_line_id`,
    values: [tenantId, accountId, day],
  });
  const digest = createHash("sha256");
  let minor = 0n;
  for (const row of rows) {
    digest.update(row.sha256);
    minor += BigInt(row.minor);
  }
  await pool.query({
    name: "keep a statement day",
    text: `INSERT INTO statement_day (tenant_id, account_id, day, opening_minor, closing_minor, line_count, lines_minor,
        lines_sha256, is_complete, read_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (tenant_id, account_id, day) DO UPDATE SET opening_minor = $4, closing_minor = $5, line_count = $6,
        lines_minor = $7, lines_sha256 = $8, is_complete = $9 OR statement_day.is_complete, read_at = $10, fault = NULL`,
    values: [
      tenantId,
      accountId,
      day,
      balance.openingMinor,
      balance.closingMinor,
      rows.length,
      minor,
      digest.digest("hex"),
      isComplete,
      readAt,
    ],
  });
}
