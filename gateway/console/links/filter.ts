import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  PaymentLinkKind,
  PaymentLinkStatus,
  type ListPaymentLinksRequestSchema,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Typed } from "../fields/typed.ts";

/** Names of the filter's fields, in the order of the page. */
const FILTERS = ["query", "status", "kind", "from", "to"] as const;

const STATUSES: ReadonlyMap<string, PaymentLinkStatus> = new Map([
  ["active", PaymentLinkStatus.ACTIVE],
  ["completed", PaymentLinkStatus.COMPLETED],
  ["expired", PaymentLinkStatus.EXPIRED],
  ["canceled", PaymentLinkStatus.CANCELED],
]);
const KINDS: ReadonlyMap<string, PaymentLinkKind> = new Map([
  ["single", PaymentLinkKind.SINGLE],
  ["campaign", PaymentLinkKind.CAMPAIGN],
]);

/** Returns the list request for the filters in the address. */
export function listRequest(typed: Typed): MessageInitShape<typeof ListPaymentLinksRequestSchema> {
  const status = STATUSES.get(typed.text("status"));
  const kind = KINDS.get(typed.text("kind"));
  const [query, from, to, after] = ["query", "from", "to", "after"].map((name) => typed.text(name));
  return {
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
    ...(query ? { query } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(after ? { startingAfter: after } : {}),
  };
}

/** Returns the filters for the addresses of further pages. */
export function filtersOf(typed: Typed): Record<string, string> {
  return Object.fromEntries(FILTERS.map((name) => [name, typed.text(name)]));
}
