import type { FastifyReply, FastifyRequest } from "fastify";

/** What became of a request, for logs and metrics. */
export interface EndedRequest {
  readonly requestId: string;
  /** Undefined where the request named nobody, or nobody that exists. */
  readonly tenantId: string | undefined;
  readonly mode: string | undefined;
  /** The route's template; undefined when no route is at the address. */
  readonly route: string | undefined;
  readonly verb: string;
  readonly status: number;
  /** "ok", "replay", an error's code, or "aborted" when the client went away before the end of its answer. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly traceId: string | undefined;
}

/** Who is told of every request that came to its end. Must not throw. */
export type RequestObserver = (request: EndedRequest) => void;

/** What is learned of a request on its way. */
interface Facts {
  tenantId?: string;
  mode?: string;
  outcome?: string;
  traceId?: string;
}

// Asked for too often, and of interest to nobody.
const SILENT: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);
const REFUSED_FROM = 400;

const known = new WeakMap<FastifyRequest, Facts>();

/** Notes whom a request acts for, or what it comes to. */
export function note(request: FastifyRequest, facts: Facts): void {
  const before = known.get(request);
  if (before) Object.assign(before, facts);
  else known.set(request, { ...facts });
}

/** Notes the tenant and mode that the core found for a request without a key. */
export function noteOwner(request: FastifyRequest, header: Headers): void {
  const [tenantId, mode] = [header.get("paylink-tenant"), header.get("paylink-mode")];
  if (tenantId !== null && mode !== null) note(request, { tenantId, mode });
}

/** Tells the observer when the answer has been sent, or can no longer be. */
export function observeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RequestObserver,
): void {
  const startedMs = performance.now();
  const { raw } = reply;
  raw.once("close", () => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (route !== undefined && SILENT.has(route)) return;
    const { tenantId, mode, outcome, traceId } = known.get(request) ?? {};
    observer({
      requestId: String(raw.getHeader("x-request-id") ?? request.id),
      tenantId,
      mode,
      route,
      verb: request.method,
      status: raw.statusCode,
      outcome: raw.writableFinished ? (outcome ?? plainOutcome(raw.statusCode)) : "aborted",
      durationMs: performance.now() - startedMs,
      traceId,
    });
  });
}

function plainOutcome(status: number): string {
  return status < REFUSED_FROM ? "ok" : "refused";
}
