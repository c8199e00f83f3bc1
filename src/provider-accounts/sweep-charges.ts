import { hash } from "node:crypto";
import type { Call } from "../platform/rpc/call.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { askLater } from "./callback-records.ts";
import type { AccountCharges, AccountsDeps } from "./deps.ts";
import { isWrong } from "./watched-provider.ts";

const TOO_SLOW = "statement_too_slow";
// An answer without a reason may be the provider's own trouble: the statement is read again so often before it goes on.
const FAILURES_BEFORE_SKIP = 3;
const LATER_SECONDS = 60;
// Callbacks of providers need the others of an account's open ones.
const WAITING_MAX = 500;

/** How the charges of a statement are asked about. */
export interface Asked {
  readonly accountId: string;
  /** Of the sweep, in a row. */
  readonly failureCount: number;
  readonly signal: AbortSignal;
}

/**
 * Asks the provider about the charges of references, one after another. One whose own answer is at fault is reported, and
 * asked about again as a callback of it would be: it does not keep the statement from the others. Throws ProviderFault if
 * the fault is not of a charge, or too many wait already.
 */
export async function askAbout(
  deps: Pick<AccountsDeps, "clock" | "environments" | "log">,
  charges: Pick<AccountCharges, "refreshCharge">,
  call: Call,
  references: readonly string[],
  { accountId, failureCount, signal }: Asked,
): Promise<void> {
  const { clock, environments, log } = deps;
  const { tenantId, mode } = call;
  for (const reference of references) {
    requireTime(signal);
    try {
      await charges.refreshCharge(call, accountId, reference, { signal, isOfMoney: true });
    } catch (error) {
      if (signal.aborted || !isOfOne(error, failureCount)) throw error;
      const now = new Date(clock.nowMs());
      const asked = { tenantId, accountId, bodyHash: hash("sha256", `sweep ${reference}`) };
      const dueAt = secondsAfter(now, LATER_SECONDS);
      if (!(await askLater(environments[mode], asked, reference, now, dueAt, WAITING_MAX))) throw error;
      log.error({ err: error, mode, account_id: accountId, reference }, "a charge of a statement is skipped");
    }
  }
}

/** Throws ProviderFault if the time of a sweep is over, or its caller has gone. */
export function requireTime(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ProviderFault("unknown", "the time for a statement is over", { code: TOO_SLOW });
}

/** Returns true if other charges of the account, or other parts of its statement, may be answered for all the same. */
export function isOfOne(error: unknown, failureCount: number): boolean {
  if (error instanceof ProviderFault) {
    const { kind, code } = error;
    if (error.isOutage || kind === "busy" || kind === "misconfigured" || code === TOO_SLOW) return false;
    if (kind === "refused" || isWrong(code)) return true;
  }
  return failureCount >= FAILURES_BEFORE_SKIP;
}
