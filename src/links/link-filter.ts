import { PaymentLinkKind, type ListPaymentLinksRequest } from "../../gen/paylink/links/v1/links_pb.ts";
import { openPeriodOf } from "../platform/time/period.ts";
import { searched } from "../platform/db/conditions.ts";
import { fromStatusEnum } from "./mapping.ts";
import type { LinkFilter } from "./repository.ts";

/** Returns the filter of a request for links. Error: invalid_request on from or to. */
export function filterOf(request: ListPaymentLinksRequest, now: Date): LinkFilter {
  const { status, kind, from, to, query } = request;
  return {
    now,
    status: status === undefined ? undefined : fromStatusEnum(status),
    isCampaign: kind === undefined ? undefined : kind === PaymentLinkKind.CAMPAIGN,
    created: openPeriodOf(from, to),
    query: searched(query),
  };
}
