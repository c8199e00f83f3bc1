import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { isId } from "../../contract/ids.ts";
import {
  ListDeliveriesRequestSchema,
  type ListDeliveriesRequest,
  type WebhooksService,
} from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Operation } from "../platform/rpc/call.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest, noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { dateOf, stampOf } from "../platform/time/timestamps.ts";
import { askedPeriod } from "./asked-period.ts";
import type { WebhooksDeps } from "./deps.ts";
import {
  countDeliveries,
  findDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  sumAttempts,
  type DeliveryFilter,
  type TypedDelivery,
} from "./delivery-repository.ts";
import { fromDeliveryStatus, toAttempt, toDelivery } from "./mapping.ts";
import { listEndpoints } from "./repository.ts";
import { resend } from "./resend.ts";

const LIMIT_DEFAULT = 20;

type Rpcs = Pick<
  ServiceImpl<typeof WebhooksService>,
  | "listDeliveries"
  | "searchDeliveries"
  | "getDelivery"
  | "listDeliveryAttempts"
  | "summarizeAttempts"
  | "resendDeliveries"
>;

/** The RPCs of the delivery log. */
export function deliveryRpcs(deps: Pick<WebhooksDeps, "clock" | "operations">): Rpcs {
  const { operations, clock } = deps;
  return {
    listDeliveries: operations.run(async (request, caller) => await page(request, caller)),
    searchDeliveries: operations.run(async ({ filter, isOldestFirst }, caller) => {
      const request = filter ?? create(ListDeliveriesRequestSchema);
      const [found, deliveryCount] = await Promise.all([
        page(request, caller, isOldestFirst),
        countDeliveries(caller.environment, caller.tenantId, filterOf(request)),
      ]);
      return { page: found, deliveryCount };
    }),
    getDelivery: operations.run(async ({ id }, { tenantId, environment }) => ({
      delivery: toDelivery(await requireDelivery(environment, tenantId, id)),
    })),
    listDeliveryAttempts: operations.run(async ({ deliveryId }, { tenantId, environment }) => {
      await requireDelivery(environment, tenantId, deliveryId);
      return { attempts: (await listAttempts(environment, tenantId, deliveryId)).map(toAttempt) };
    }),
    summarizeAttempts: operations.run(async ({ since }, { tenantId, environment }) => {
      const sums = await sumAttempts(environment, tenantId, since ? dateOf(since) : new Date(clock.nowMs()));
      return {
        sums: sums.map(({ attemptCount, failedCount, lastAttemptAt, ...sum }) => ({
          ...sum,
          attemptCount: BigInt(attemptCount),
          failedCount: BigInt(failedCount),
          lastAttemptAt: stampOf(lastAttemptAt),
        })),
      };
    }),
    resendDeliveries: operations.run(async ({ deliveryIds }, { tenantId, environment, audit }) => {
      const found = await findDeliveries(environment, tenantId, deliveryIds);
      if (found.length < deliveryIds.length) throw deliveryNotFound();
      const endpoints = await listEndpoints(environment, tenantId);
      const enabled = new Set(
        endpoints.filter(({ status }) => status === "enabled").map((endpoint) => endpoint.id),
      );
      const resends = found.filter(({ endpointId }) => enabled.has(endpointId));
      const now = new Date(clock.nowMs());
      await resend(environment, { tenantId, resends, now, audit });
      return { deliveryCount: resends.length, leftOutCount: found.length - resends.length };
    }),
  };
}

/** Error: invalid_request on type, from or to. */
function filterOf(request: ListDeliveriesRequest): DeliveryFilter {
  const { status, eventId, endpointId, eventType, type } = request;
  if (type !== undefined && eventType !== undefined && type !== eventType) {
    throw invalidRequest(
      "type",
      "type and event_type are two names of one filter, and differ: give one of them.",
    );
  }
  return {
    eventId,
    endpointId,
    eventType: type ?? eventType,
    status: status === undefined ? undefined : fromDeliveryStatus(status),
    ...askedPeriod(request),
  };
}

/** Error: invalid_request on starting_after. */
async function page(
  request: ListDeliveriesRequest,
  { tenantId, environment }: Pick<Operation, "tenantId" | "environment">,
  isOldestFirst = false,
) {
  const { startingAfter, limit = LIMIT_DEFAULT } = request;
  const filter = filterOf(request);
  const { rows, hasMore, nextCursor } = await keysetPage({
    limit,
    startingAfter,
    what: "the id of an item of the list",
    find: idAsCursor("dlv"),
    read: (after, rowCount) =>
      listDeliveries(environment, tenantId, filter, { startingAfter: after, limit: rowCount }, isOldestFirst),
  });
  return { deliveries: rows.map(toDelivery), hasMore, nextCursor };
}

/** Error: delivery_not_found. */
async function requireDelivery(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<TypedDelivery> {
  const delivery = isId("dlv", id) ? await findDelivery(environment, tenantId, id) : undefined;
  if (!delivery) throw deliveryNotFound();
  return delivery;
}

function deliveryNotFound(): PaylinkError {
  return noSuch("delivery_not_found", "delivery");
}
