import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { Tracer } from "@opentelemetry/api";
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { METHODS } from "node:http";
import { consolePages, CONSOLE_VERBS } from "./console/app.ts";
import { checkoutCore } from "./checkout/core.ts";
import { checkoutPages, PAGE_VERBS } from "./checkout/routes.ts";
import { DOCS_VERBS, docsPages } from "./docs/routes.ts";
import { authenticate, authorize, type Caller } from "./authenticate.ts";
import { sunsetNotices, type ApiVersion } from "./api-versions.ts";
import { acceptJsonBodies, refuseOtherBodies } from "./body.ts";
import { callCore } from "./call.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { MEDIA_VERBS, serveMedia } from "./media.ts";
import { answerParserError } from "./parser-errors.ts";
import { addProbes, PROBES } from "./probes.ts";
import { sendError } from "./replies.ts";
import { newRequestId } from "./request-id.ts";
import { note, observeRequest, type RequestObserver } from "./request-observer.ts";
import { traceRequests, tracedTransport } from "./tracing.ts";
import { invalidRequest, PublicError, toPublicError } from "./transcode/errors.ts";
import { routesOf, type Route } from "./transcode/route.ts";

export interface GatewayOptions {
  readonly transport: Transport;
  /** The services whose RPCs with a path are offered. */
  readonly services: readonly DescService[];
  readonly coreToken: string;
  /** The versions that the services' paths begin with, see `requireNotice`. */
  readonly versions: readonly ApiVersion[];
  readonly logger: FastifyBaseLogger | false;
  /** The gateway's address as browsers see it. */
  readonly publicUrl: string;
  /** Where hosted pictures are, as browsers see it. */
  readonly mediaBase: string;
  /** Addresses and networks whose X-Forwarded-For is believed. Absent: none. */
  readonly trustedProxies?: readonly string[];
  readonly isReady: () => Promise<boolean>;
  /** Absent: cleartext. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Told of every request that came to its end. */
  readonly observer?: RequestObserver;
  /** Absent: there are no spans. */
  readonly tracer?: Tracer;
}

const REQUEST_TIMEOUT_MS = 30_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** The REST gateway. It holds no route and no rule of its own: both come from the descriptors of the services. */
export function createGateway(given: GatewayOptions): FastifyInstance {
  const { tracer, observer } = given;
  const options = tracer ? { ...given, transport: tracedTransport(given.transport, tracer) } : given;
  const app = createServer(options);
  const noticesOf = sunsetNotices(options.versions);
  if (observer) {
    app.addHook("onRequest", (request, reply, done) => {
      observeRequest(request, reply, observer);
      done();
    });
  }
  if (tracer) traceRequests(app, tracer);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(noticesOf(pathOf(request)));
    startRequest(request, reply, done);
  });
  const routes = routesOf(options.services);
  const isPublic = Map.groupBy(routes, (route) => route.isPublic);
  void app.register(async (open) => {
    addProbes(open, options);
    for (const route of isPublic.get(true) ?? []) addPublicRoute(open, route, options);
  });
  void app.register(async (pages) => {
    await checkoutPages(pages, checkoutCore(options.transport, options.coreToken));
  });
  void app.register(docsPages);
  void app.register(async (media) => serveMedia(media, options.transport, options.coreToken));
  void app.register(consolePages, options);
  void app.register(async (closed) => {
    for (const route of isPublic.get(false) ?? []) addRoute(closed, route, options);
  });
  refuseOtherVerbs(app, [...routes, ...PROBES.map((path) => ({ path, verb: "GET" })), ...pageRoutes()]);
  return app;
}

/** The id goes on every answer, and what leads nowhere ends before its body is looked at. */
function startRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header("x-request-id", request.id);
  if (request.is404) throw notFound();
  if (request.headers.host === undefined && request.raw.httpVersion === "1.1") {
    throw invalidRequest(null, "The header Host is required.");
  }
  done();
}

/** The path as the router understood it, whatever escapes it was sent with. */
function pathOf({ is404, routeOptions, raw }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? raw.url ?? "";
}

function notFound(): PublicError {
  return new PublicError("not_found", "There is nothing at this address.");
}

/** What happens to a request of a merchant, in this order. */
function addRoute(app: FastifyInstance, route: Route, options: GatewayOptions): void {
  const callers = new WeakMap<FastifyRequest, { caller: Caller; idempotencyKey: string | undefined }>();
  app.route({
    method: route.verb,
    url: route.path,
    onRequest: async (request) => {
      const { rawHeaders } = request.raw;
      const caller = await authenticate(options.transport, options.coreToken, rawHeaders, request.id);
      note(request, { tenantId: caller.tenantId, mode: caller.mode });
      authorize(route, caller);
      const idempotencyKey = readIdempotencyKey(route.idempotency, rawHeaders);
      if (route.verb === "POST") refuseOtherBodies(request.headers);
      callers.set(request, { caller, idempotencyKey });
    },
    handler: async (request, reply) => {
      const { caller, idempotencyKey } = callers.get(request) ?? {};
      const message = route.read(partsOf(request));
      return await callCore(options, route, message, request, reply, caller, idempotencyKey);
    },
  });
}

function addPublicRoute(app: FastifyInstance, route: Route, options: GatewayOptions): void {
  app.route({
    method: route.verb,
    url: route.path,
    handler: async (request, reply) =>
      await callCore(options, route, route.read(partsOf(request)), request, reply),
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

function pageRoutes(): { path: string; verb: string }[] {
  return Object.entries({ ...PAGE_VERBS, ...DOCS_VERBS, ...CONSOLE_VERBS, ...MEDIA_VERBS }).flatMap(
    ([path, verbs]) => verbs.map((verb) => ({ path, verb })),
  );
}

function refuseOtherVerbs(
  app: FastifyInstance,
  routes: readonly { readonly path: string; readonly verb: string }[],
): void {
  for (const verb of METHODS) if (!app.supportedMethods.includes(verb)) app.addHttpMethod(verb);
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    const allowed: readonly string[] = same.map(({ verb }) => verb);
    app.route({
      method: METHODS.filter((verb) => !allowed.includes(verb)),
      url: path,
      onRequest: async (_request, reply) => {
        reply.header("allow", allowed.join(", "));
        throw new PublicError("method_not_allowed", `Only ${allowed.join(", ")} is allowed here.`);
      },
      handler: async () => undefined,
    });
  }
}

function createServer({
  logger,
  tls,
  versions,
  observer,
  trustedProxies = [],
}: GatewayOptions): FastifyInstance {
  // Node would answer a missing Host by itself, without our headers.
  const http = { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false };
  const app = fastify({
    ...(tls ? ({ https: { ...http, ...tls } } as object) : { http }),
    ...(logger === false ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs more than its line, which names the request by itself.
    childLoggerFactory: (parent) => parent,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: newRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // A long id is an unknown id, not an unknown path.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Fastify's own 503 has neither the request id nor the error shape.
    return503OnClosing: false,
    clientErrorHandler: answerParserError,
    frameworkErrors: (_error, request, reply) => {
      if (observer) observeRequest(request, reply, observer);
      const refused = invalidRequest(null, "The address holds a bad percent escape.");
      const notices = sunsetNotices(versions)(request.raw.url ?? "");
      sendError(reply.headers({ "x-request-id": request.id, ...notices }), refused);
    },
  });
  acceptJsonBodies(app);
  // Node would answer an unknown expectation by itself, too; HTTP lets it be ignored.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFound()));
  app.setErrorHandler((error, request, reply) => {
    const refused = fromFastify(error) ?? toPublicError(error);
    if (refused.status >= 500) request.log.error({ err: error, request_id: request.id }, "request failed");
    return sendError(reply, refused);
  });
  return app;
}

/** What Fastify itself refuses while it reads a body. */
function fromFastify(error: unknown): PublicError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new PublicError("payload_too_large", "The body is larger than 64 KiB.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new PublicError("unsupported_media_type", "The body must be application/json.");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalidRequest(null, "The body is not as long as Content-Length says.");
    case "ECONNRESET":
      return invalidRequest(null, "The body ended before its time.");
    default:
      return undefined;
  }
}
