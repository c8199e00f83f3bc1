import type { Payment } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import type { Operation } from "../platform/rpc/call.ts";
import { toPayment } from "./mapping.ts";
import type { PaymentFilter } from "./payment-filter.ts";
import { searchPayments } from "./payment-search.ts";
import { findCursor } from "./repository.ts";

/** The payments of a page, where a request does not say. */
export const LIMIT_DEFAULT = 20;

interface PageRequest {
  readonly limit?: number | undefined;
  readonly startingAfter?: string | undefined;
}

/** A page as the public API has it. */
interface PaymentPage {
  readonly data: Payment[];
  readonly hasMore: boolean;
  readonly nextCursor: string | undefined;
}

/** Returns a page of the payments that match a filter, newest first. Error: invalid_request on starting_after. */
export async function paymentPage(
  { tenantId, environment }: Pick<Operation, "tenantId" | "environment">,
  filter: PaymentFilter,
  { limit = LIMIT_DEFAULT, startingAfter }: PageRequest,
): Promise<PaymentPage> {
  const { rows, hasMore, nextCursor } = await keysetPage({
    limit,
    startingAfter,
    what: "the id of a payment",
    find: (id) => findCursor(environment, tenantId, id),
    read: (after, rowCount) => searchPayments(environment.pool, tenantId, filter, after, rowCount),
  });
  return { data: rows.map(toPayment), hasMore, nextCursor };
}
