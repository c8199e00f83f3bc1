import type { DescMessage } from "@bufbuild/protobuf";
import {
  ListSealDeltasRequestSchema,
  PaymentSchema,
  SearchPaymentsRequestSchema,
  type Payment,
  type PaymentDetails,
  type PaymentFilter,
  type SealDelta,
  type SearchPaymentsResponse,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { ruleKeywords } from "../../openapi/rule-keywords.ts";
import { messageWriter } from "../../transcode/message-writer.ts";
import { payerNames } from "../payments/names.ts";
import type { Visit } from "../visit.ts";

/** Rows of an export as JSON without line ends, several at a time. */
export type Lines = AsyncGenerator<readonly string[]>;

const PAGE = largestPage(SearchPaymentsRequestSchema);
const DELTAS = largestPage(ListSealDeltasRequestSchema);

/** Returns the largest page of a list request. Throws Error when its `limit` has no maximum. */
export function largestPage({ field, typeName }: DescMessage): number {
  const maximum = field["limit"] && ruleKeywords(field["limit"]).value["maximum"];
  if (typeof maximum !== "number") throw new Error(`${typeName} has no largest page`);
  return maximum;
}

const toJson = messageWriter(PaymentSchema);

/** A payment as a file for people has it. */
export interface DetailedPayment {
  readonly payment: Payment;
  readonly details: PaymentDetails | undefined;
  /** The payer's short name, if it is known and the user may see it. */
  readonly payer: string | undefined;
}

/** Yields the payments of a filter in their present state, in the API's order, with what is known beside them. */
export async function* detailedPayments(
  visit: Visit,
  filter: PaymentFilter,
): AsyncGenerator<readonly DetailedPayment[]> {
  for await (const { payments, details } of pagesOf(visit, { filter, withDetails: true })) {
    const payers = await payerNames(visit, payments);
    yield payments.map((payment, index) => ({
      payment,
      details: details[index],
      payer: payers.get(payment.id),
    }));
  }
}

/** Yields the payments of a filter in their present state, in the API's JSON and order, each when its turn comes. */
export async function* paymentLines(visit: Visit, filter: PaymentFilter): Lines {
  for await (const { payments } of pagesOf(visit, { filter })) {
    for (const payment of payments) yield [toJson(payment)];
  }
}

async function* pagesOf(
  { core, as }: Visit,
  asked: { readonly filter: PaymentFilter; readonly withDetails?: boolean },
): AsyncGenerator<SearchPaymentsResponse> {
  for (let after: string | undefined; ;) {
    const cursor = after === undefined ? {} : { startingAfter: after };
    const page = await core.ledger.searchPayments({ ...asked, limit: PAGE, ...cursor }, as);
    yield page;
    if (page.nextCursor === undefined) return;
    after = page.nextCursor;
  }
}

/** Yields the rows of a sealed day, byte for byte. */
export async function* sealedLines({ core, as }: Visit, day: string): Lines {
  for (let position = 0n; ;) {
    const { rows, nextPosition, hasMore } = await core.ledger.listSealedRows({ day, position }, as);
    // Every row ends with a line feed, including the last.
    yield new TextDecoder("utf-8", { ignoreBOM: true }).decode(rows).split("\n").slice(0, -1);
    if (!hasMore) return;
    position = nextPosition;
  }
}

/** Yields each change since the seal, with the payment's sealed and current rows. */
export async function* deltaLines(visit: Visit, day: string, wordOf: (delta: SealDelta) => string): Lines {
  const { core, as } = visit;
  for (let cursor: string | undefined; ;) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await core.ledger.listSealDeltas({ day, limit: DELTAS, ...from }, as);
    yield page.deltas.map((delta) => {
      const { paymentId, sealedRow = "null", currentRow = "null" } = delta;
      const head = JSON.stringify({ payment_id: paymentId, kind: wordOf(delta) }).slice(0, -1);
      return `${head},"sealed":${sealedRow},"current":${currentRow}}`;
    });
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}
