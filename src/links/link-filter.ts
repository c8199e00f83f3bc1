import { PaymentLinkKind, type ListPaymentLinksRequest } from "../../gen/paylink/links/v1/links_pb.ts";
import { periodOf } from "../platform/time/period.ts";
import { searched } from "../platform/db/conditions.ts";
import { fromStatusEnum } from "./mapping.ts";
import type { LinkFilter } from "./repository.ts";

const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";

/** Returns the filter of a request for links. Error: invalid_request on from or to. */
export function filterOf(request: ListPaymentLinksRequest, now: Date): LinkFilter {
  const { status, kind, from, to, query } = request;
  const hasPeriod = from !== undefined || to !== undefined;
  return {
    now,
    status: status === undefined ? undefined : fromStatusEnum(status),
    isCampaign: kind === undefined ? undefined : kind === PaymentLinkKind.CAMPAIGN,
    created: hasPeriod ? periodOf(from ?? FIRST_DAY, to ?? LAST_DAY) : undefined,
    query: searched(query),
  };
}
