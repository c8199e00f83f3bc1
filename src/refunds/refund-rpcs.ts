import type { ServiceImpl } from "@connectrpc/connect";
import { wordsOf } from "../../contract/enum-words.ts";
import { RefundOrder } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type {
  CreateRefundRequest,
  Refund as RefundMessage,
  RefundExceptionRequest,
  RefundsService,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { isId } from "../../contract/ids.ts";
import { findPayment } from "../ledger/repository.ts";
import { insert } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { noSuch, PaylinkError } from "../platform/rpc/errors.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import type { WriteSteps } from "../platform/rpc/operation.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { Asking } from "./asking.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund, type RefundRow } from "./entities.ts";
import { countAllRefunds, listAllRefunds } from "./refund-list.ts";
import { toListedRefund, toRefund, toRefundSum, toReturn } from "./mapping.ts";
import { ofException, ofPayment, paymentNotFound } from "./new-refund.ts";
import { refundableOf } from "./refundable-amount.ts";
import { refundSums } from "./refund-sums.ts";
import {
  findMerchantRefund,
  findRefund,
  listExceptionRefunds,
  listMerchantRefunds,
  listRefunds,
} from "./repository.ts";

const LIMIT_DEFAULT = 20;
const orders = wordsOf(RefundOrder);
const RETURNS_MAX = 100;
const EXCEPTION_REFUNDS_MAX = 100;

type MakeRefund = typeof ofPayment;
type AnyRequest = CreateRefundRequest | RefundExceptionRequest;
type RefundResponse = { readonly refund?: RefundMessage };

/** The RPCs of refunds and returns. */
export function refundRpcs(
  deps: RefundsDeps & { readonly asking: Pick<Asking, "askBriefly" | "end"> },
): Omit<ServiceImpl<typeof RefundsService>, "listDisputes"> {
  const { operations, asking } = deps;

  /** Returns the steps of an RPC that gives money back: the refund is written, then the provider is asked. */
  function refunding(make: MakeRefund): WriteSteps<AnyRequest, RefundResponse> {
    return {
      check: ({ reason }) => checkOwnText("reason", reason),
      decide: async ({ id, ...asked }, operation) => {
        const { refund, changes } = await make(deps, operation, id, asked);
        return {
          response: { refund: toRefund(refund) },
          changes: [insert(Refund, refund), ...changes],
          audit: { objectId: refund.id },
        };
      },
      follow: async ({ refund }, operation) => {
        const row = await asking.askBriefly(operation, refund?.id ?? "");
        return row ? { refund: toRefund(row) } : {};
      },
    };
  }

  return {
    createRefund: operations.write(refunding(ofPayment)),
    refundException: operations.write(refunding(ofException)),
    endRefund: operations.run(async ({ id }, operation) => {
      const refund = await asking.end(operation, id).catch((error: unknown) => {
        if (!(error instanceof ProviderFault)) throw error;
        throw new PaylinkError("service_unavailable", "The provider did not say whether it has the refund.");
      });
      return refund ? { refund: toRefund(refund) } : {};
    }),
    listRefunds: operations.run(async ({ id: paymentId, limit, startingAfter }, caller) => {
      const { tenantId, environment } = caller;
      await requirePayment(environment, tenantId, paymentId);
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit: limit ?? LIMIT_DEFAULT,
        startingAfter,
        what: "the id of a refund",
        find: async (id) => {
          const refund = await findRefund(environment, tenantId, id);
          return isListed(refund, paymentId) ? id : undefined;
        },
        read: async (after, rowCount) =>
          await listRefunds(environment, { tenantId, paymentId, origin: "merchant" }, rowCount, after),
      });
      return { data: rows.map(toRefund), hasMore, nextCursor };
    }),
    listTenantRefunds: operations.run(async ({ limit, startingAfter }, { tenantId, environment }) => {
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit: limit ?? LIMIT_DEFAULT,
        startingAfter,
        what: "the id of a refund",
        find: async (id) => (await findMerchantRefund(environment, tenantId, id))?.id,
        read: async (after, rowCount) => await listMerchantRefunds(environment, tenantId, rowCount, after),
      });
      return { data: rows.map(toRefund), hasMore, nextCursor };
    }),
    getRefund: operations.run(async ({ id }, { tenantId, environment }) => {
      const refund = await findMerchantRefund(environment, tenantId, id);
      if (!refund) throw noSuch("refund_not_found", "refund");
      return { refund: toRefund(refund) };
    }),
    listReturns: operations.run(async ({ paymentId }, { tenantId, environment }) => {
      await requirePayment(environment, tenantId, paymentId);
      const of = { tenantId, paymentId, origin: "provider" } as const;
      const rows = await listRefunds(environment, of, RETURNS_MAX);
      return { returns: rows.filter(({ status }) => status === "succeeded").map(toReturn) };
    }),
    listExceptionRefunds: operations.run(async ({ paymentId }, { tenantId, environment }) => {
      await requirePayment(environment, tenantId, paymentId);
      const rows = await listExceptionRefunds(environment, { tenantId, paymentId }, EXCEPTION_REFUNDS_MAX);
      return { refunds: rows.map(toRefund) };
    }),
    listAllRefunds: operations.run(async ({ limit, startingAfter, order }, { tenantId, environment }) => {
      const by = orders.wordOf(order) ?? "created_desc";
      const [{ rows, nextCursor }, refundCount] = await Promise.all([
        keysetPage({
          limit: limit ?? LIMIT_DEFAULT,
          startingAfter,
          what: "the id of a refund or return",
          find: idAsCursor("ref"),
          read: async (after, rowCount) => await listAllRefunds(environment, tenantId, by, rowCount, after),
        }),
        countAllRefunds(environment, tenantId),
      ]);
      return { refunds: rows.map(toListedRefund), nextCursor, refundCount };
    }),
    getRefundable: operations.run(
      async ({ paymentId, exceptionId }, { tenantId, environment }) =>
        await refundableOf(deps, { tenantId, environment }, paymentId, exceptionId),
    ),
    summarizeRefunds: operations.run(async ({ from, to }, { tenantId, environment }) => ({
      sums: (await refundSums(environment, tenantId, from, to)).map(toRefundSum),
    })),
  };
}

/** Returns true if a refund is in its payment's list. */
function isListed(refund: RefundRow | null, paymentId: string): boolean {
  return refund?.paymentId === paymentId && refund.origin === "merchant" && refund.exceptionId == null;
}

async function requirePayment(environment: Environment, tenantId: string, id: string): Promise<void> {
  if (!isId("pay", id) || !(await findPayment(environment, tenantId, id))) throw paymentNotFound();
}
