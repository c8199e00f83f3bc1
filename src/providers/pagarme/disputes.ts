import { dayAt } from "../../../contract/day.ts";
import { optionalText, required, textOf, unreadable, wordIn, type Fields } from "../answer-fields.ts";
import type { DisputeFacts } from "../card-port.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { PagarmeClient } from "./client.ts";
import { idIn, objectOf, timeIn } from "./fields.ts";
import type { PagarmePayable } from "./messages.ts";

// The others are with the acquirer or the issuer.
const STATUSES: Readonly<Record<string, DisputeFacts["status"]>> = {
  WAITING_MERCHANT_EVIDENCES: "needs_response",
  LOST: "lost",
  DEADLINE_EXPIRED: "lost",
  WON: "won",
};
const REASON = /^[A-Z][A-Z0-9_]{0,63}$/;
const REAIS = /^(\d{1,12})(?:\.(\d{1,2}))?$/;

/**
 * Returns the contests of a charge by the API of disputes, which has no filter of one; "denied" if the key may not read
 * them, and "unknown" if they cannot be read now: what is known of the money does not wait for them.
 */
export async function disputesOfCharge(
  client: Pick<PagarmeClient, "disputes">,
  payables: readonly PagarmePayable[],
  signal?: AbortSignal,
): Promise<DisputeFacts[] | "denied" | "unknown"> {
  const times = payables.map(({ createdAt }) => createdAt.getTime());
  const ids = new Set(payables.flatMap(({ transactionId }) => transactionId ?? []));
  if (times.length === 0 || ids.size === 0) return [];
  const installments = new Set(payables.map(({ installment }) => installment)).size;
  try {
    const rows = await client.disputes(new Date(Math.min(...times)), signal);
    const own = rows.filter((row) => row["transactionId"] != null && ids.has(idIn(row, "transactionId")));
    // A contest is of the whole transaction.
    return own.map((row) => readDispute(row, installments === 1 ? 1 : 0));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return error.kind === "refused" || error.kind === "misconfigured" ? "denied" : "unknown";
  }
}

function readDispute(fields: Fields, installment: number): DisputeFacts {
  const reason = wordIn(objectOf(fields, "reason")?.["description"]) ?? "";
  return {
    id: idIn(fields, "disputeId"),
    installment,
    amountMinor: reaisIn(required(objectOf(fields, "chargebackAmount"), "chargebackAmount")),
    status: STATUSES[textOf(fields, "status")] ?? "under_review",
    reason: REASON.test(reason) ? reason : null,
    openedOn: dayOf(fields, "createdAt"),
    respondBy: dayOf(fields, "responseDeadline"),
  };
}

/** Returns the day in São Paulo of a time, or null if there is none. */
function dayOf(fields: Fields, field: string): string | null {
  const time = timeIn(fields, field);
  return time === null ? null : dayAt(time.getTime()).toString();
}

function reaisIn(fields: Fields): bigint {
  const [, whole, decimals = ""] = REAIS.exec(textOf(fields, "amount")) ?? [];
  if (whole === undefined || (optionalText(fields, "currencyCode") ?? "BRL") !== "BRL")
    throw unreadable("chargebackAmount");
  return BigInt(whole + decimals.padEnd(2, "0"));
}
