import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** Returns the money that went back on each day of a period, by day. */
export async function refundSumsByDay(
  { core, as }: Visit,
  period: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, readonly RefundSum[]>> {
  const { sums } = await core.refunds.summarizeRefunds(period, as);
  return Map.groupBy(sums, ({ day }) => day);
}

/** Returns all that went back on a day, less what came back on it, as one text, or a dash. */
export function refundedText({ format }: Guest, sums: readonly RefundSum[] = []): string {
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  const texts = [...byCurrency].map(([currency, same]) =>
    format.money(
      same.reduce((total, { amount, reversedAmount }) => total + amount - reversedAmount, 0n),
      currency,
    ),
  );
  return texts.join(" + ") || "—";
}

/** Returns what went back on a day, as a bank's statement shows it, or "" if nothing did. */
export function refundSumsCard(guest: Guest, sums: readonly RefundSum[] = []): Html | "" {
  if (sums.length === 0) return "";
  const t = messagesIn(guest.language);
  return card(
    t("went_back"),
    html`<p class="quiet">${t("went_back_help")}</p>
      ${rowTable(t, {
        caption: t("went_back"),
        rows: sums,
        columns: {
          refund_kind: (sum) => t(kindOf(sum)),
          count: ({ refundCount }) => refundCount.toLocaleString(guest.language),
          amount: ({ amount, currency }) => guest.format.money(amount, currency),
          came_back: ({ reversedAmount, currency }) =>
            reversedAmount === 0n ? "—" : guest.format.money(reversedAmount, currency),
        },
        numbers: ["count", "amount", "came_back"],
        empty: html``,
      })}`,
  );
}

function kindOf({ isReturn, isOfExceptions }: RefundSum): MessageKey {
  if (isOfExceptions) return isReturn ? "went_back_exception_return" : "went_back_exception";
  return isReturn ? "refund_by_provider" : "refund_by_merchant";
}
