import { isDeepStrictEqual } from "node:util";
import type { ServiceImpl } from "@connectrpc/connect";
import { defined } from "../../contract/defined.ts";
import { isId } from "../../contract/ids.ts";
import type { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { doneAlready, PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnWords } from "../platform/rpc/metadata.ts";
import type { Decision } from "../platform/write/decision.ts";
import { checkEndpointName, readEndpointUrl } from "./endpoint-address.ts";
import {
  ENDPOINTS_MAX,
  endpointNotFound,
  newEndpoint,
  newEndpointId,
  rotated,
  secretOwner,
  textsOf,
} from "./endpoint.ts";
import type { WebhooksDeps } from "./deps.ts";
import { WebhookEndpoint, type EndpointRow } from "./entities.ts";
import { toEndpoint } from "./mapping.ts";
import { findEndpoint, listEndpoints, wasMade } from "./repository.ts";
import { newSecret } from "./signature.ts";

const COLUMNS = [
  "url",
  "eventTypes",
  "description",
  "metadata",
  "status",
  "disabledReason",
  "sealedSecret",
  "formerSecrets",
  "deletedAt",
] as const;
type Column = (typeof COLUMNS)[number];
// Changes that depend on the former value of these columns fail if another request was first.
const GUARDED = ["status", "sealedSecret"] as const;
// Which events an endpoint takes.
const SUBSCRIBING: ReadonlySet<Column> = new Set(["status", "eventTypes"]);

type Rpcs = Pick<
  ServiceImpl<typeof WebhooksService>,
  | "createWebhookEndpoint"
  | "listWebhookEndpoints"
  | "getWebhookEndpoint"
  | "updateWebhookEndpoint"
  | "disableWebhookEndpoint"
  | "enableWebhookEndpoint"
  | "rotateWebhookSecret"
  | "deleteWebhookEndpoint"
>;

/** The RPCs that manage a tenant's endpoints. */
export function endpointRpcs(deps: WebhooksDeps): Rpcs {
  async function checkedUrl(text: string, { mode }: Pick<Caller, "mode">): Promise<string> {
    const policy = deps.policies[mode];
    const url = readEndpointUrl(text, policy);
    await checkEndpointName(url, policy, deps.lookup);
    return url.href;
  }

  /** Decides a change of an endpoint. The commit fails if a guarded column was changed meanwhile. */
  async function decideChange(
    { mode, tenantId }: Caller,
    id: string,
    change: (endpoint: EndpointRow) => EndpointRow,
  ): Promise<Decision<{ endpoint: ReturnType<typeof toEndpoint> }>> {
    const endpoint = await requireEndpoint(deps.environments[mode], tenantId, id);
    const changed = change(endpoint);
    const columns = COLUMNS.filter((column) => !isDeepStrictEqual(changed[column], endpoint[column]));
    const response = { endpoint: toEndpoint(changed, wholeSecond(deps.clock)) };
    if (columns.length === 0) return { response, changes: [] };
    const where = { tenantId, id, deletedAt: null, ...pick(endpoint, GUARDED.filter(isIn(columns))) };
    const changes = [
      update(WebhookEndpoint, where, pick(changed, columns)),
      ...(columns.some((column) => SUBSCRIBING.has(column)) ? [awaitEventsUnderWay(tenantId)] : []),
    ];
    return { response, changes, audit: { objectId: id } };
  }

  const { operations, encryption, clock } = deps;
  return {
    createWebhookEndpoint: operations.write({
      check: ({ description, metadata }) => checkOwnWords({ description, metadata }),
      decide: async (request, { tenantId, mode, environment }) => {
        const { submissionId = null, eventTypes } = request;
        if (submissionId !== null && (await wasMade(environment, tenantId, submissionId)))
          throw doneAlready();
        const now = wholeSecond(clock);
        const url = await checkedUrl(request.url, { mode });
        const [id, secret] = [newEndpointId(), newSecret()];
        const sealedSecret = await encryption.encrypt(secret, secretOwner(id));
        const given = { tenantId, id, url, eventTypes: eventTypes?.values ?? [], sealedSecret, submissionId };
        const endpoint = newEndpoint({ ...given, ...textsOf(request) }, now);
        const response = { endpoint: toEndpoint(endpoint, now), secret };
        const changes = [insert(WebhookEndpoint, endpoint), requireCapacity(tenantId)];
        return { response, changes, audit: { objectId: id, details: shown(url) } };
      },
    }),
    listWebhookEndpoints: operations.run(async (_request, { tenantId, environment }) => {
      const now = wholeSecond(clock);
      const endpoints = await listEndpoints(environment, tenantId);
      return { endpoints: endpoints.map((endpoint) => toEndpoint(endpoint, now)) };
    }),
    getWebhookEndpoint: operations.run(async ({ id }, { tenantId, environment }) => ({
      endpoint: toEndpoint(await requireEndpoint(environment, tenantId, id), wholeSecond(clock)),
    })),
    updateWebhookEndpoint: operations.write({
      check: ({ description, metadata }) => checkOwnWords({ description, metadata }),
      decide: async (request, caller) => {
        const url = request.url === undefined ? undefined : await checkedUrl(request.url, caller);
        const decision = await decideChange(caller, request.id, (endpoint) => ({
          ...endpoint,
          ...defined({ url, eventTypes: request.eventTypes?.values }),
          ...textsOf(request),
        }));
        const details = url === undefined ? {} : shown(url);
        return { ...decision, audit: { objectId: request.id, details } };
      },
    }),
    disableWebhookEndpoint: operations.write({
      decide: async ({ id }, caller) =>
        await decideChange(caller, id, (endpoint) =>
          endpoint.status === "disabled"
            ? endpoint
            : { ...endpoint, status: "disabled", disabledReason: "manual" },
        ),
    }),
    enableWebhookEndpoint: operations.write({
      decide: async ({ id }, caller) =>
        await decideChange(caller, id, (endpoint) => ({
          ...endpoint,
          status: "enabled",
          disabledReason: null,
        })),
    }),
    rotateWebhookSecret: operations.write({
      decide: async ({ id }, caller) => {
        const secret = newSecret();
        const encrypted = await encryption.encrypt(secret, secretOwner(id));
        const now = wholeSecond(clock);
        const { response, ...decision } = await decideChange(caller, id, (endpoint) =>
          rotated(endpoint, encrypted, now),
        );
        return { ...decision, response: { ...response, secret } };
      },
    }),
    deleteWebhookEndpoint: operations.write({
      decide: async ({ id }, caller) => {
        const decision = await decideChange(caller, id, (endpoint) => ({
          ...endpoint,
          deletedAt: wholeSecond(clock),
        }));
        return { ...decision, response: {} };
      },
    }),
  };
}

/** Returns the endpoint. Error: webhook_endpoint_not_found. */
export async function requireEndpoint(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<EndpointRow> {
  const endpoint = isId("we", id) ? await findEndpoint(environment, tenantId, id) : null;
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}

/** Returns an address as audit entries show it: its query may contain a secret that their readers may not see. */
function shown(address: string): { url: string } {
  const { origin, pathname } = new URL(address);
  return { url: `${origin}${pathname}` };
}

function isIn(columns: readonly Column[]): (column: Column) => boolean {
  return (column) => columns.includes(column);
}

function pick(endpoint: EndpointRow, columns: readonly Column[]): Partial<EndpointRow> {
  return Object.fromEntries(columns.map((column) => [column, endpoint[column]]));
}

/** The lock that events take too, see `src/migrations/environment-0077.ts`: all that are committed later go to the endpoint. */
function turnOf(tenantId: string): string {
  return `webhook endpoints of ${tenantId}`;
}

function awaitEventsUnderWay(tenantId: string): Change {
  return withAdvisoryLock(turnOf(tenantId), async () => undefined);
}

/** Undoes a creation above the quota, even with concurrent creations. Error: quota_exceeded. */
function requireCapacity(tenantId: string): Change {
  return withAdvisoryLock(turnOf(tenantId), async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM webhook_endpoint WHERE tenant_id = $1 AND deleted_at IS NULL",
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= ENDPOINTS_MAX) return;
    const most = `A tenant has at most ${ENDPOINTS_MAX} webhook endpoints in each mode`;
    throw new PaylinkError("quota_exceeded", `${most}: delete one first.`);
  });
}
