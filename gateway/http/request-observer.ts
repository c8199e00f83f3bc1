import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isProbe } from "./probe-paths.ts";
import { HEADERS } from "../../contract/headers.ts";
import { networkOf } from "../../contract/network.ts";

/** The outcome of a request, for logs and metrics. */
export interface EndedRequest {
  readonly requestId: string;
  /** Undefined if the request has no tenant or an unknown one. */
  readonly tenantId: string | undefined;
  readonly mode: string | undefined;
  /** The API key's id, "key_…"; undefined if the request has none that is known. */
  readonly keyId: string | undefined;
  /** The route's template; undefined if the address has no route. */
  readonly route: string | undefined;
  readonly verb: string;
  readonly status: number;
  /** "ok", "refused", "replay", an error's code, a page's outcome, or "aborted" if the client disconnected early. */
  readonly outcome: string;
  /** The field that was refused, as far as the contract names it. */
  readonly param: string | undefined;
  /** Until the answer's end; of a stream of events, until its beginning. */
  readonly durationMs: number;
  readonly traceId: string | undefined;
}

/** Gets every request that ended. Must not throw. */
export type RequestObserver = (request: EndedRequest) => void;

/** Facts that are collected while the request runs. */
interface Facts {
  tenantId?: string;
  mode?: string;
  keyId?: string;
  outcome?: string;
  param?: string | undefined;
  traceId?: string;
  streamBegunMs?: number;
}

const REFUSED_FROM = 400;

// A property of the request: in a WeakMap, each entry costs the garbage collector.
const FACTS = Symbol("facts");

declare module "fastify" {
  interface FastifyRequest {
    [FACTS]?: Facts;
  }
}

/** Prepares the requests of a server for facts, so that all have one shape. */
export function holdFacts(app: FastifyInstance): void {
  app.decorateRequest(FACTS);
}

/** Notes facts about a request for its observer. */
export function note(request: FastifyRequest, facts: Facts): void {
  Object.assign((request[FACTS] ??= {}), facts);
}

/** Notes the tenant and mode from the core's answer to a request without a key. */
export function noteOwner(request: FastifyRequest, header: Headers): void {
  const [tenantId, mode] = [header.get(HEADERS.tenant), header.get(HEADERS.mode)];
  if (tenantId !== null && mode !== null) note(request, { tenantId, mode });
}

/** Returns who a request counts for: its tenant in a mode if that is known, else its network. */
export function ownerOf(request: FastifyRequest): string {
  const { tenantId, mode } = request[FACTS] ?? {};
  return tenantId === undefined ? networkOf(request.ip) : `${mode} ${tenantId}`;
}

/** Notes that a stream of events begins: how long it then stays open is the client's choice, and no slow answer. */
export function noteStream(request: FastifyRequest): void {
  note(request, { streamBegunMs: performance.now() });
}

/** Calls the observer when the answer has been sent or the connection has closed. */
export function observeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RequestObserver,
): void {
  const startedMs = performance.now();
  const { raw } = reply;
  raw.once("close", () => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (isProbe(route)) return;
    const endedMs = performance.now();
    const { tenantId, mode, keyId, outcome, param, traceId, streamBegunMs = endedMs } = request[FACTS] ?? {};
    observer({
      requestId: String(raw.getHeader(HEADERS.publicRequestId) ?? request.id),
      tenantId,
      mode,
      keyId,
      route,
      verb: request.method,
      status: raw.statusCode,
      outcome: raw.writableFinished ? (outcome ?? plainOutcome(raw.statusCode)) : "aborted",
      param,
      durationMs: streamBegunMs - startedMs,
      traceId,
    });
  });
}

function plainOutcome(status: number): string {
  return status < REFUSED_FROM ? "ok" : "refused";
}
