import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticate, authorize, readApiKey } from "./authenticate.ts";
import { refuseOtherBodies } from "./body.ts";
import { callCore, type CoreOptions, type RouteCaller } from "./call.ts";
import type { Permits } from "../http/permits.ts";
import type { RateLimits } from "./rate-limits.ts";
import { note } from "../http/request-observer.ts";
import type { Route } from "../transcode/route.ts";
import { verbsOf, requireId } from "../http/addresses.ts";
import { HEADERS, KEY_CHARACTERS_MAX, keyLength } from "../../contract/headers.ts";
import { KEY_REQUIRED, keyTooLong } from "../../contract/key-texts.ts";
import { Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import { headerValues } from "../http/request-headers.ts";
import { PublicError } from "../transcode/errors.ts";

const CALLER = Symbol("caller");

declare module "fastify" {
  interface FastifyRequest {
    [CALLER]?: RouteCaller;
  }
}

/** What bounds the requests of one tenant. */
interface TenantBounds {
  readonly limits: RateLimits | undefined;
  readonly permits: Permits;
}

/** Prepares a plugin for the routes of `addRoute`. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest(CALLER);
}

/** Adds a merchant route. Its steps run in this order. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  core: CoreOptions,
  { limits, permits }: TenantBounds,
): void {
  app.route({
    method: verbsOf(route),
    url: route.path,
    bodyLimit: route.bodyBytesMax,
    onRequest: async (request, reply) => {
      requireId(request);
      const { rawHeaders } = request.raw;
      const key = readApiKey(rawHeaders);
      const ask = async () => await authenticate(core.transport, core.coreToken, key, request.id, request.ip);
      const caller = await (limits ? limits.authenticate(reply, key, ask) : ask());
      note(request, { tenantId: caller.tenantId, mode: caller.mode, keyId: caller.keyId });
      await limits?.take(reply, key, caller);
      authorize(route, caller);
      const idempotencyKey = readIdempotencyKey(route.idempotency, rawHeaders);
      if (route.verb !== "GET") refuseOtherBodies(request.headers, route.takesBody);
      const countAs = async (count: number) => await limits?.takeMore(reply, key, caller, count);
      request[CALLER] = { caller, idempotencyKey, countAs };
    },
    handler: async (request, reply) => {
      const own = request[CALLER];
      if (own) await permits.take(`${own.caller.mode} ${own.caller.tenantId}`, reply);
      return await callCore(core, route, route.read(partsOf(request)), request, reply, own);
    },
  });
}

/** Adds a route that is answered without an API key. */
export function addPublicRoute(app: FastifyInstance, route: Route, core: CoreOptions): void {
  app.route({
    method: verbsOf(route),
    url: route.path,
    handler: async (request, reply) =>
      await callCore(core, route, route.read(partsOf(request)), request, reply),
  });
}

function partsOf({ params, raw, body }: FastifyRequest) {
  const url = raw.url ?? "";
  const question = url.indexOf("?");
  return {
    path: params as Record<string, string>,
    query: question < 0 ? "" : url.slice(question + 1),
    body: Buffer.isBuffer(body) ? body : undefined,
  };
}

/**
 * Returns the request's Idempotency-Key, or undefined if the route takes none or it is optional and missing. Errors:
 * missing_idempotency_key, invalid_idempotency_key.
 */
function readIdempotencyKey(rule: Idempotency, rawHeaders: readonly string[]): string | undefined {
  if (rule === Idempotency.UNSPECIFIED) return undefined;
  const [key, ...more] = headerValues(rawHeaders, HEADERS.idempotencyKey);
  if (more.length > 0) {
    throw new PublicError(
      "invalid_idempotency_key",
      `The header Idempotency-Key is given ${more.length + 1} times: send it once.`,
    );
  }
  if (key === undefined || key === "") {
    if (rule === Idempotency.OPTIONAL) return undefined;
    throw new PublicError("missing_idempotency_key", KEY_REQUIRED);
  }
  if (keyLength(key) > KEY_CHARACTERS_MAX) {
    throw new PublicError("invalid_idempotency_key", keyTooLong(keyLength(key)));
  }
  return key;
}
