import type { ServiceImpl } from "@connectrpc/connect";
import { wordsOf } from "../../contract/enum-words.ts";
import { PaymentOrder, type LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest, noSuch } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import { keysetPage, type Cursor } from "../platform/db/keyset-page.ts";
import { openPeriodOf, periodOf, type Period } from "../platform/time/period.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { findPrice } from "../pricing/repository.ts";
import { entriesOf, type Entry } from "./books.ts";
import { bridgeOf, keptOf, providerBridgeOf, refundBridgeOf } from "./bridge.ts";
import { settlementDay } from "./business-days.ts";
import type { LedgerDeps } from "./deps.ts";
import { Settlement, type PaymentRow } from "./entities.ts";
import { paymentMessage, toPayment } from "./mapping.ts";
import { FirstPages } from "./first-pages.ts";
import { typedPayerWords } from "./payer-words.ts";
import { filterOf } from "./payment-filter.ts";
import { toBridgeLine, toPaymentSum } from "./reconciliation-mapping.ts";
import { LIMIT_DEFAULT, paymentPage } from "./payment-page.ts";
import { paymentDetails } from "./payment-details.ts";
import type { Line } from "./postings.ts";
import { searchOrdered, paidOf, searchPayments, summarizePayments, totalsOf } from "./payment-search.ts";
import { findCursor, findPayment, listPaymentsAfter } from "./repository.ts";
import { findOverrides } from "./settlement.ts";

type Rpcs = Pick<
  ServiceImpl<typeof LedgerService>,
  "listPayments" | "searchPayments" | "summarizePayments" | "getPaymentBridge"
>;

const orders = wordsOf(PaymentOrder);

/** The RPCs that list and search payments, sum them, and explain one. */
export function reconciliationRpcs({
  operations,
  encryption,
}: Pick<LedgerDeps, "operations" | "encryption">): Rpcs {
  const wordsFor = (tenantId: string) => (typed: string) => typedPayerWords(encryption, tenantId, typed);
  const firstPages = new FirstPages();
  return {
    listPayments: operations.run(async (request, operation) => {
      const { tenantId, environment } = operation;
      const { from, to, linkId, reference, endToEndId } = request;
      if ((linkId ?? reference ?? endToEndId) !== undefined) {
        const period = openPeriodOf(from, to);
        return await paymentPage(operation, { period, linkId, reference, endToEndId }, request);
      }
      const period = requiredPeriod(from, to);
      const limit = request.limit ?? LIMIT_DEFAULT;
      const {
        rows: data,
        hasMore,
        nextCursor,
      } = await keysetPage({
        limit,
        startingAfter: request.startingAfter,
        what: "the id of a payment",
        find: (id) => findCursor(environment, tenantId, id),
        read: (after: Cursor | undefined, rowCount) =>
          after === undefined
            ? firstPages.read(operation, period, rowCount)
            : listPaymentsAfter(environment, tenantId, period, after, rowCount).then((found) =>
                found.map(toPayment),
              ),
      });
      return {
        $typeName: "paylink.ledger.v1.ListPaymentsResponse" as const,
        data: [...data],
        hasMore,
        nextCursor,
      };
    }),
    searchPayments: operations.browse(async (request, { tenantId, environment }) => {
      const { limit = LIMIT_DEFAULT, startingAfter } = request;
      const filter = filterOf(request.filter, wordsFor(tenantId));
      const order = orders.wordOf(request.order) ?? "created_desc";
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of a payment",
        find: (id) => findCursor(environment, tenantId, id),
        read: (after, rowCount) =>
          order === "created_desc"
            ? searchPayments(environment.pool, tenantId, filter, after, rowCount)
            : searchOrdered(environment.pool, tenantId, filter, order, after, rowCount),
      });
      const ids = request.withDetails ? rows.map(({ id }) => id) : [];
      const details = await paymentDetails(environment, tenantId, ids);
      return {
        payments: rows.map(toPayment),
        hasMore,
        nextCursor,
        details: ids.flatMap((id) => details.get(id) ?? []),
      };
    }),
    summarizePayments: operations.browse(async ({ filter, byDay, byState }, { tenantId, environment }) => {
      const sums = await summarizePayments(environment.pool, tenantId, filterOf(filter, wordsFor(tenantId)), {
        byDay,
        byState,
      });
      return {
        sums: sums.map(toPaymentSum),
        totals: totalsOf(sums).map(toPaymentSum),
        paid: paidOf(sums).map(toPaymentSum),
        paymentCount: sums.reduce((count, sum) => count + sum.paymentCount, 0n),
      };
    }),
    getPaymentBridge: operations.run(async ({ paymentId }, { tenantId, environment }) => {
      const payment = isId("pay", paymentId) ? await findPayment(environment, tenantId, paymentId) : null;
      if (!payment) throw noSuch("payment_not_found", "payment");
      const price = await findPrice(environment, tenantId, payment.priceId);
      const [entries, details] = await Promise.all([
        laterEntries(environment, payment),
        paymentDetails(environment, tenantId, [paymentId]),
      ]);
      const wentBack = goneBack(entries);
      return {
        payment: paymentMessage(payment, price),
        lines: bridgeOf(price).map(toBridgeLine),
        refundLines: refundBridgeOf(price, wentBack).map(toBridgeLine),
        providerLines: providerBridgeOf(entries).map(toBridgeLine),
        ...(payment.status === "succeeded" ? { kept: toBridgeLine(keptOf(price, wentBack)) } : {}),
        details: details.get(paymentId),
        ...(await settlementOf(environment, tenantId, paymentId)),
      };
    }),
  };
}

/** Returns the entries of a payment of which something may have gone back, or which a card provider pays out. */
async function laterEntries(
  environment: Environment,
  { tenantId, id, method, refundedMinor }: PaymentRow,
): Promise<Entry[]> {
  return refundedMinor === 0n && method !== "card" ? [] : await entriesOf(environment, tenantId, id);
}

const GONE_BACK: ReadonlySet<Entry["kind"]> = new Set(["refund", "return", "return_reversal"]);

/** Returns the period of both days. Error: invalid_request on from or to. */
function requiredPeriod(from: string | undefined, to: string | undefined): Period {
  const instead = "give both days, or one of link_id, reference and end_to_end_id.";
  if (from === undefined) throw invalidRequest("from", `from is required: ${instead}`);
  if (to === undefined) throw invalidRequest("to", `to is required: ${instead}`);
  return periodOf(from, to);
}

/** Returns the booked lines of a payment's refunds and returns, and of what came back of them. */
function goneBack(entries: readonly Entry[]): Line[] {
  return entries.filter(({ kind }) => GONE_BACK.has(kind)).flatMap(({ lines }) => lines);
}

/** Returns the days on which the payment succeeded and settles, or nothing unless it succeeded. */
async function settlementOf({ orm, pool }: Environment, tenantId: string, paymentId: string) {
  const settlement = await orm.em.fork().findOne(Settlement, { tenantId, paymentId });
  if (!settlement) return {};
  const { succeededOn, termDays, settledAt } = settlement;
  const due = settlementDay(Temporal.PlainDate.from(succeededOn), termDays, await findOverrides(pool));
  return {
    succeededOn,
    settlesOn: due.toString(),
    settledAt: stampOf(settledAt),
  };
}
