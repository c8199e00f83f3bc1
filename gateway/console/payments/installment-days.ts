import type { Receivable } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./messages.ts";

/** Returns the first and last day of a payment's installments that are still to come, or "" if it has one or none. */
export function installmentDays(guest: Guest, receivables: readonly Receivable[]): string {
  const days = receivables
    .flatMap(({ expectedOn, outstanding }) =>
      expectedOn !== undefined && outstanding !== 0n ? [expectedOn] : [],
    )
    .toSorted();
  const [first, last] = [days.at(0), days.at(-1)];
  if (first === undefined || last === undefined || receivables.length < 2) return "";
  const { format } = guest;
  const between = { first: format.day(first), last: format.day(last) };
  return first === last ? between.first : messagesIn(guest.language)("days_between", between);
}
