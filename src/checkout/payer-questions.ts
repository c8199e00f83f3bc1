import type { Call } from "../platform/rpc/call.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { ChargeChecks } from "./charge-checks.ts";
import { mayPayerAsk } from "./charge-end.ts";
import type { CheckoutDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";
import type { Earlier } from "./start-payment.ts";

interface Deps extends Pick<CheckoutDeps, "clock" | "environments" | "log"> {
  readonly checks: ChargeChecks;
}

// A payer needs no account, and a provider may take a limited number of calls.
const INTERVAL_SECONDS = 10;

/**
 * Asks the provider about a session's payment because its payer wants to know. Does nothing if the payment or its time is
 * over, if the charge was asked about moments ago, or if the provider takes no more such calls for now. Its other failures
 * are reported: no news is no failure of the payer's request.
 */
export async function askForPayer(
  { clock, environments, checks, log }: Deps,
  call: Call,
  { charge, payment }: Earlier,
): Promise<void> {
  const now = new Date(clock.nowMs());
  if (!mayPayerAsk({ charge, payment, now })) return;
  const turn = await takeTurn(environments[call.mode], charge, now);
  if (turn === null) return;
  try {
    await checks.refresh(call, charge, { isRepeated: turn === "again" });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.kind === "busy") return;
    const about = { err: error, payment_id: charge.paymentId };
    log.error(about, "a payer's question about a payment was not answered");
  }
}

/** Takes the turn to ask about a charge: one of all processes has it. Returns null if another has, or had it just now. */
async function takeTurn(
  { pool }: Environment,
  { tenantId, paymentId }: ChargeRow,
  now: Date,
): Promise<"first" | "again" | null> {
  const { rows } = await pool.query<{ isFirst: boolean }>({
    name: "take a payer's turn",
    text: `WITH before AS (
        SELECT payer_asked_at FROM charge
        WHERE tenant_id = $1 AND payment_id = $2 AND (payer_asked_at IS NULL OR payer_asked_at <= $4) FOR UPDATE
      )
      UPDATE charge c SET payer_asked_at = $3 FROM before WHERE c.tenant_id = $1 AND c.payment_id = $2
      RETURNING before.payer_asked_at IS NULL AS "isFirst"`,
    values: [tenantId, paymentId, now, secondsAfter(now, -INTERVAL_SECONDS)],
  });
  const [row] = rows;
  if (!row) return null;
  return row.isFirst ? "first" : "again";
}
