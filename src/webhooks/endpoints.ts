import type { LookupFunction } from "node:net";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { insert, update } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest } from "../platform/errors.ts";
import type { Decision, Operations } from "../platform/operation.ts";
import type { Sealer } from "../platform/sealer.ts";
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
import { findEndpoint, listEndpoints } from "./repository.ts";
import { newSecret } from "./signature.ts";

export interface EndpointsDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly sealer: Sealer;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly lookup: LookupFunction;
}

/** The RPCs that keep a tenant's endpoints. */
export class Endpoints {
  readonly #deps: EndpointsDeps;

  constructor(deps: EndpointsDeps) {
    this.#deps = deps;
  }

  /** Error: webhook_endpoint_not_found. */
  async find(environment: Environment, tenantId: string, id: string): Promise<EndpointRow> {
    const endpoint = await findEndpoint(environment, tenantId, id);
    if (!endpoint) throw endpointNotFound();
    return endpoint;
  }

  rpcs() {
    const { operations, sealer, clock } = this.#deps;
    const { method } = WebhooksService;
    return {
      createWebhookEndpoint: operations.write(method.createWebhookEndpoint, {
        decide: async (request, { tenantId, mode }, environment) => {
          const now = wholeSecond(clock);
          const url = await this.#checkedUrl(request.url, mode);
          if ((await listEndpoints(environment, tenantId)).length >= ENDPOINTS_MAX) {
            throw invalidRequest(
              null,
              `A tenant has at most ${ENDPOINTS_MAX} webhook endpoints in each mode.`,
            );
          }
          const [id, secret] = [newEndpointId(), newSecret()];
          const sealed = await sealer.seal(secret, secretOwner(id));
          const endpoint = newEndpoint(tenantId, id, url, request.eventTypes?.values ?? [], sealed, now);
          const response = { endpoint: toEndpoint(endpoint, now), secret };
          return { response, changes: [insert(WebhookEndpoint, endpoint)] };
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
            ...(url === undefined ? {} : { url }),
            ...(request.eventTypes
              ? { eventTypes: request.eventTypes.values as EndpointRow["eventTypes"] }
              : {}),
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
          const sealed = await sealer.seal(secret, secretOwner(id));
          const now = wholeSecond(clock);
          const { response, changes } = await this.#changed(caller, id, (endpoint) =>
            rotated(endpoint, sealed, now),
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
    return url.href;
  }

  /** Decides a change of an endpoint, as long as nobody else changes it meanwhile. */
  async #changed(
    { mode, tenantId }: Caller,
    id: string,
    change: (endpoint: EndpointRow) => EndpointRow,
  ): Promise<Decision<{ endpoint: ReturnType<typeof toEndpoint> }>> {
    const endpoint = await this.find(this.#deps.environments[mode], tenantId, id);
    const { tenantId: _owner, id: _id, createdAt: _createdAt, ...set } = change(endpoint);
    const { status, sealedSecret } = endpoint;
    const where = { tenantId, id, status, sealedSecret, deletedAt: null };
    return {
      response: { endpoint: toEndpoint({ ...endpoint, ...set }, wholeSecond(this.#deps.clock)) },
      changes: [update(WebhookEndpoint, where, set)],
    };
  }
}
