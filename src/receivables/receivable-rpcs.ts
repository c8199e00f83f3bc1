import type { ServiceImpl } from "@connectrpc/connect";
import { dayAt } from "../../contract/day.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import { isId } from "../../contract/ids.ts";
import type { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DisputeOrder, type RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Environment } from "../platform/db/database.ts";
import { noSuch } from "../platform/rpc/errors.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import type { ReceivablesDeps } from "./deps.ts";
import { toDispute, toReceivables, toReceivableSum } from "./mapping.ts";
import { listOverdue } from "./overdue.ts";
import { expectedMonths } from "./expected-months.ts";
import { receivableSums } from "./receivable-sums.ts";
import { countDisputes, findDisputeId, listDisputes } from "./dispute-list.ts";
import { findFacts } from "./repository.ts";

const LIMIT_DEFAULT = 20;
const orders = wordsOf(DisputeOrder);

type Deps = Pick<ReceivablesDeps, "operations" | "clock">;

/** The RPCs of what card providers owe. They are part of the ledger's service on the wire. */
export function receivableRpcs({
  operations,
  clock,
}: Deps): Pick<
  ServiceImpl<typeof LedgerService>,
  "listReceivables" | "summarizeReceivables" | "listOverdueReceivables"
> {
  return {
    listReceivables: operations.run(async ({ paymentId }, { tenantId, environment }) => {
      await requirePayment(environment, tenantId, paymentId);
      return { receivables: toReceivables(await findFacts(environment, { tenantId, paymentId })) };
    }),
    summarizeReceivables: operations.run(async ({ from, to }, { tenantId, environment }) => {
      const [sums, expected] = await Promise.all([
        receivableSums(environment, tenantId, from, to),
        expectedMonths(environment, tenantId),
      ]);
      return { sums: sums.map(toReceivableSum), expected };
    }),
    listOverdueReceivables: operations.run(async ({ limit }, { tenantId, environment }) => ({
      overdue: await listOverdue(environment, tenantId, clock.nowMs(), limit ?? LIMIT_DEFAULT),
    })),
  };
}

/** The RPC of disputes. It is part of the refunds' service on the wire. */
export function disputeRpcs({
  operations,
  clock,
}: Deps): Pick<ServiceImpl<typeof RefundsService>, "listDisputes"> {
  return {
    listDisputes: operations.run(async (request, caller) => {
      const { paymentId, needsResponse, limit, startingAfter, isCounted } = request;
      const order = orders.wordOf(request.order);
      const { tenantId, environment } = caller;
      if (paymentId !== undefined) await requirePayment(environment, tenantId, paymentId);
      const answerableOn = needsResponse ? dayAt(clock.nowMs()).toString() : undefined;
      const filter = { tenantId, paymentId, answerableOn };
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit: limit ?? LIMIT_DEFAULT,
        startingAfter,
        what: "the id of a dispute",
        find: async (id) => await findDisputeId(environment, tenantId, id),
        read: async (after, rowCount) => await listDisputes(environment, filter, rowCount, after, order),
      });
      const disputeCount = isCounted ? await countDisputes(environment, filter) : undefined;
      return { disputes: rows.map(toDispute), hasMore, nextCursor, disputeCount };
    }),
  };
}

async function requirePayment(environment: Environment, tenantId: string, id: string): Promise<void> {
  if (!isId("pay", id) || !(await findPayment(environment, tenantId, id))) {
    throw noSuch("payment_not_found", "payment");
  }
}
