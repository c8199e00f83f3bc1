import { dayOf } from "../provider/dates.ts";
import type { Fields } from "../provider/json.ts";
import type { PagarmeDeps } from "./deps.ts";
import { balanceMinor } from "./payables.ts";
import { invalid } from "./problem.ts";
import type { Account, Settlement } from "./state.ts";

const LIMIT_MAX = 2000;

/** Pays all that is there out to the merchant's bank. One that fails or is pending moves nothing. */
export function settle(account: Account, status: Settlement["status"], deps: PagarmeDeps): Settlement {
  const on = dayOf(deps.clock.now());
  const amountMinor = balanceMinor(account, deps);
  const made = { id: `st_${deps.ids.token(16)}`, amountMinor, on, status };
  account.settlements.push(made);
  if (status === "success") {
    for (const payable of account.payables) if (payable.paymentOn <= on) payable.settlementId ??= made.id;
  }
  return made;
}

/** Returns a page of the payouts of a period of days, the last one first unless asked otherwise. Throws Problem. */
export function settlementsBody(account: Account, query: URLSearchParams): Fields {
  const [from, to] = [query.get("payment_date_start"), query.get("payment_date_end")];
  if (from === null || to === null) throw invalid("payment_date_start", "Both days are needed.");
  const [page, limit] = [Number(query.get("page") ?? "1"), Number(query.get("limit") ?? "10")];
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalid("limit", "The limit is from 1 to 2000.");
  const found = account.settlements.filter(({ on }) => on >= from && on <= to);
  const ordered = query.get("order") === "asc" ? found : found.toReversed();
  return { data: ordered.slice((page - 1) * limit, page * limit).map((one) => settlementBody(account, one)) };
}

function settlementBody({ id: accountId }: Account, { id, amountMinor, on, status }: Settlement): Fields {
  return {
    id,
    amount: Number(amountMinor),
    product: "credit",
    payment_date: `${on}T00:00:00Z`,
    recipient_id: recipientId(accountId),
    liquidation_type: "internal",
    status,
  };
}

/** The account's one recipient. */
export function recipientsBody({ id, name }: Account): Fields {
  return { data: [{ id: recipientId(id), name, status: "active" }], paging: { total: 1 } };
}

export function balanceBody(account: Account, deps: PagarmeDeps): Fields {
  return {
    currency: "BRL",
    available_amount: Number(balanceMinor(account, deps)),
    waiting_funds_amount: 0,
    transferred_amount: 0,
    recipient: { id: recipientId(account.id), name: account.name },
  };
}

function recipientId(accountId: string): string {
  return accountId.replace("acc_", "rp_");
}
