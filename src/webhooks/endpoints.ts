import type { LookupFunction } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { defined } from "../../contract/defined.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { describeChange } from "../platform/audit-trail.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { insert, update, within, type Change } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { doneAlready, PaylinkError } from "../platform/errors.ts";
import type { Decision, Operations } from "../platform/operation.ts";
import type { Encryption } from "../platform/encryption.ts";
import { checkEndpointName, readEndpointUrl, type AddressPolicy } from "./endpoint-address.ts";
import {
  ENDPOINTS_MAX,
  endpointNotFound,
  newEndpoint,
  newEndpointId,
  rotated,
  secretOwner,
} from "./endpoint.ts";
import { WebhookEndpoint, type EndpointRow } from "./entities.ts";
import { toEndpoint } from "./mapping.ts";
import { findEndpoint, listEndpoints, wasMade } from "./repository.ts";
import { newSecret } from "./signature.ts";

export interface EndpointsDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly encryption: Encryption;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly lookup: LookupFunction;
}

const COLUMNS = [
  "url",
  "eventTypes",
  "status",
  "disabledReason",
  "sealedSecret",
  "formerSecrets",
  "deletedAt",
] as const;
type Column = (typeof COLUMNS)[number];
// Changes that depend on the former value of these columns fail if another request was first.
const GUARDED = ["status", "sealedSecret"] as const;

/** The RPCs that manage a tenant's endpoints. */
export class Endpoints {
  readonly #deps: EndpointsDeps;

  constructor(deps: EndpointsDeps) {
    this.#deps = deps;
  }

  /** Returns the endpoint. Error: webhook_endpoint_not_found. */
  async find(environment: Environment, tenantId: string, id: string): Promise<EndpointRow> {
    const endpoint = await findEndpoint(environment, tenantId, id);
    if (!endpoint) throw endpointNotFound();
    return endpoint;
  }

  rpcs() {
    const { operations, encryption, clock } = this.#deps;
    const { method } = WebhooksService;
    return {
      createWebhookEndpoint: operations.write(method.createWebhookEndpoint, {
        decide: async (request, { tenantId, mode }, environment) => {
          const { submissionId = null, eventTypes } = request;
          if (submissionId !== null && (await wasMade(environment, tenantId, submissionId)))
            throw doneAlready();
          const now = wholeSecond(clock);
          const url = await this.#checkedUrl(request.url, mode);
          const [id, secret] = [newEndpointId(), newSecret()];
          const encrypted = await encryption.encrypt(secret, secretOwner(id));
          const endpoint = newEndpoint(
            tenantId,
            id,
            url,
            eventTypes?.values ?? [],
            encrypted,
            now,
            submissionId,
          );
          const response = { endpoint: toEndpoint(endpoint, now), secret };
          return { response, changes: [insert(WebhookEndpoint, endpoint), requireRoom(tenantId)] };
        },
      }),
      listWebhookEndpoints: operations.run(
        method.listWebhookEndpoints,
        async (_request, { tenantId }, environment) => {
          const now = wholeSecond(clock);
          const endpoints = await listEndpoints(environment, tenantId);
          return { endpoints: endpoints.map((endpoint) => toEndpoint(endpoint, now)) };
        },
      ),
      updateWebhookEndpoint: operations.write(method.updateWebhookEndpoint, {
        decide: async (request, caller) => {
          const url =
            request.url === undefined ? undefined : await this.#checkedUrl(request.url, caller.mode);
          return await this.#changed(caller, request.id, (endpoint) => ({
            ...endpoint,
            ...defined({
              url,
              eventTypes: request.eventTypes?.values as EndpointRow["eventTypes"] | undefined,
            }),
          }));
        },
      }),
      disableWebhookEndpoint: operations.write(method.disableWebhookEndpoint, {
        decide: async ({ id }, caller) =>
          await this.#changed(caller, id, (endpoint) =>
            endpoint.status === "disabled"
              ? endpoint
              : { ...endpoint, status: "disabled", disabledReason: "manual" },
          ),
      }),
      enableWebhookEndpoint: operations.write(method.enableWebhookEndpoint, {
        decide: async ({ id }, caller) =>
          await this.#changed(caller, id, (endpoint) => ({
            ...endpoint,
            status: "enabled",
            disabledReason: null,
          })),
      }),
      rotateWebhookSecret: operations.write(method.rotateWebhookSecret, {
        decide: async ({ id }, caller) => {
          const secret = newSecret();
          const encrypted = await encryption.encrypt(secret, secretOwner(id));
          const now = wholeSecond(clock);
          const { response, changes } = await this.#changed(caller, id, (endpoint) =>
            rotated(endpoint, encrypted, now),
          );
          return { response: { ...response, secret }, changes };
        },
      }),
      deleteWebhookEndpoint: operations.write(method.deleteWebhookEndpoint, {
        decide: async ({ id }, caller) => {
          const { changes } = await this.#changed(caller, id, (endpoint) => ({
            ...endpoint,
            deletedAt: wholeSecond(clock),
          }));
          return { response: {}, changes };
        },
      }),
    };
  }

  async #checkedUrl(text: string, mode: Mode): Promise<string> {
    const policy = this.#deps.policies[mode];
    const url = readEndpointUrl(text, policy);
    await checkEndpointName(url, policy, this.#deps.lookup);
    // The query may contain a secret that readers of the audit trail may not see.
    describeChange({ told: { url: `${url.origin}${url.pathname}` } });
    return url.href;
  }

  /** Decides a change of an endpoint. The commit fails if a guarded column was changed meanwhile. */
  async #changed(
    { mode, tenantId }: Caller,
    id: string,
    change: (endpoint: EndpointRow) => EndpointRow,
  ): Promise<Decision<{ endpoint: ReturnType<typeof toEndpoint> }>> {
    const endpoint = await this.find(this.#deps.environments[mode], tenantId, id);
    const changed = change(endpoint);
    const columns = COLUMNS.filter((column) => !isDeepStrictEqual(changed[column], endpoint[column]));
    const response = { endpoint: toEndpoint(changed, wholeSecond(this.#deps.clock)) };
    if (columns.length === 0) return { response, changes: [] };
    const where = { tenantId, id, deletedAt: null, ...pick(endpoint, GUARDED.filter(isIn(columns))) };
    return { response, changes: [update(WebhookEndpoint, where, pick(changed, columns))] };
  }
}

function isIn(columns: readonly Column[]): (column: Column) => boolean {
  return (column) => columns.includes(column);
}

function pick(endpoint: EndpointRow, columns: readonly Column[]): Partial<EndpointRow> {
  return Object.fromEntries(columns.map((column) => [column, endpoint[column]]));
}

/** Undoes a creation above the quota, even with concurrent creations. Error: quota_exceeded. */
function requireRoom(tenantId: string): Change {
  return within(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || $1, 0))", [
      tenantId,
    ]);
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM webhook_endpoint WHERE tenant_id = $1 AND deleted_at IS NULL",
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= ENDPOINTS_MAX) return;
    const message = `A tenant has at most ${ENDPOINTS_MAX} webhook endpoints in each mode: delete one first.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
