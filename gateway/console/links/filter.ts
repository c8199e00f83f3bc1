import type { MessageInitShape } from "@bufbuild/protobuf";
import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PaymentLinkKind,
  PaymentLinkStatus,
  type ListPaymentLinksRequestSchema,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Typed } from "../fields/typed.ts";

/** Names of the filter's fields, in the order of the page. */
const FILTERS = ["query", "status", "kind", "from", "to"] as const;

const statuses = wordsOf(PaymentLinkStatus);
const kinds = wordsOf(PaymentLinkKind);

/** Returns the list request for the filters in the address. */
export function listRequest(typed: Typed): MessageInitShape<typeof ListPaymentLinksRequestSchema> {
  const status = statuses.numberOf(typed.text("status"));
  const kind = kinds.numberOf(typed.text("kind"));
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
