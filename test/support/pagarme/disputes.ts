import { reaisText, type Fields } from "../provider/json.ts";
import type { PagarmeDeps } from "./deps.ts";
import { timeText } from "./messages.ts";
import { invalid } from "./problem.ts";
import type { Account, Charge, Dispute } from "./state.ts";

export const DISPUTES_PATH = "/v1/disputes";

const LIMIT_MAX = 100;
const DAY_MS = 86_400_000;
const DAYS = 7;

/** A card holder contests a charge. The money is taken later, or at the same time, by `chargeBack`. */
export function openDispute(
  account: Account,
  charge: Charge,
  amountMinor: bigint,
  { clock, ids }: PagarmeDeps,
): Dispute {
  const createdAt = clock.now();
  const deadline = new Date(createdAt.getTime() + DAYS * DAY_MS);
  const status = "WAITING_MERCHANT_EVIDENCES";
  const dispute: Dispute = { id: 20_000 + ids.next(), charge, amountMinor, createdAt, deadline, status };
  account.disputes.push(dispute);
  return dispute;
}

/** Returns a page of disputes, the first one first, with the cursor of the next page. */
export function disputesBody({ disputes }: Account, query: URLSearchParams): Fields {
  const limit = Number(query.get("limit") ?? "5");
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalid("limit", "The limit is 1 to 100.");
  const since = Date.parse(query.get("createdAt__gte") ?? "2000-01-01");
  const after = Number(query.get("forwardCursor") ?? "0");
  const found = disputes.filter(({ id, createdAt }) => id > after && createdAt.getTime() >= since);
  const data = found.slice(0, limit);
  const forwardCursor = found.length > limit ? String(data.at(-1)?.id) : null;
  return { data: data.map((dispute) => disputeBody(dispute)), page: { forwardCursor } };
}

function disputeBody({ id, charge, amountMinor, createdAt, deadline, status }: Dispute): Fields {
  const amount = { amount: reaisText(amountMinor), currencyCode: "BRL" };
  return {
    disputeId: id,
    transactionId: Number(charge.transactions[0]?.gatewayId),
    createdAt: timeText(createdAt),
    updatedAt: timeText(createdAt),
    responseDeadline: timeText(deadline),
    chargebackAmount: amount,
    debitedAmount: amount,
    status,
    reason: { code: "4853", description: "FRAUD" },
    stage: "CHARGEBACK",
    network: "VISA",
    institution: "PAGAR.ME",
    events: [{ type: "DISPUTE_NOTIFIED", createdAt: timeText(createdAt) }],
  };
}
