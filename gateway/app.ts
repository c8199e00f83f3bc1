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
import { PROBES } from "./probe-paths.ts";
import { newId } from "../contract/ids.ts";
import { HEADERS } from "../contract/headers.ts";
import { consolePages, CONSOLE_VERBS } from "./console/app.ts";
import { checkoutCore } from "./checkout/core.ts";
import { checkoutPages, PAGE_VERBS } from "./checkout/routes.ts";
import { VisitLimits, type VisitRates } from "./checkout/visit-limits.ts";
import { DOCS_VERBS, docsPages } from "./docs/routes.ts";
import { authenticate, authorize, readApiKey, type Caller } from "./authenticate.ts";
import { sunsetNotices, type ApiVersion } from "./api-versions.ts";
import { acceptJsonBodies, refuseOtherBodies } from "./body.ts";
import { CALLBACK_VERBS, takeCallbacks } from "./callbacks.ts";
import { callCore, type CoreOptions } from "./call.ts";
import { readForwardedFor } from "./forwarded-for.ts";
import { headerValues } from "./header-values.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { LargeAnswers } from "./large-answers.ts";
import { MEDIA_VERBS, serveMedia } from "./media.ts";
import { answerParserError } from "./parser-errors.ts";
import { transportHeaders } from "./transport-headers.ts";
import { addProbes } from "./probes.ts";
import { rateLimits, type RateLimitOptions, type RateLimits } from "./rate-limits.ts";
import { sendError } from "./replies.ts";
import { note, observeRequest, type RequestObserver } from "./request-observer.ts";
import { traceRequests, tracedTransport } from "./tracing.ts";
import { invalidRequest, isCoreUnavailable, PublicError, toPublicError } from "./transcode/errors.ts";
import { routesOf, type Route } from "./transcode/route.ts";
import { notFound, requireId } from "./unknown-address.ts";
import { refuseOtherVerbs, verbsOf } from "./verbs.ts";

export interface GatewayOptions {
  readonly transport: Transport;
  /** The services whose RPCs with a path are served. */
  readonly services: readonly DescService[];
  readonly coreToken: string;
  /** The versions that the services' paths begin with; see `requireNotice`. */
  readonly versions: readonly ApiVersion[];
  readonly logger: FastifyBaseLogger | false;
  /** The gateway's address in browsers. */
  readonly publicUrl: string;
  /** True: the console's cookies lack Secure when publicUrl is http. Absent: false. */
  readonly allowsHttpConsole?: boolean;
  /** Address of hosted pictures in browsers. */
  readonly mediaBase: string;
  /** Addresses and networks whose X-Forwarded-For is trusted. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Limits on API requests. Absent: none. */
  readonly rateLimits?: RateLimitOptions;
  /** Limits on new checkout sessions. Absent: none. */
  readonly sessionRates?: VisitRates;
  readonly isReady: () => Promise<boolean>;
  /** Absent: cleartext. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Gets every request that ended. */
  readonly observer?: RequestObserver;
  /** Absent: no spans. */
  readonly tracer?: Tracer;
}

const NO_RATES: VisitRates = { perAddress: 0, perLink: 0 };
// A provider's callback may prove itself by a certificate; other clients need none.
const ASKS_FOR_CERTIFICATE = { requestCert: true, rejectUnauthorized: false };
const REQUEST_TIMEOUT_MS = 30_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** Returns the REST gateway. Its routes and rules come from the services' descriptors. */
export function createGateway(given: GatewayOptions): FastifyInstance {
  const { tracer, observer } = given;
  const options = tracer ? { ...given, transport: tracedTransport(given.transport, tracer) } : given;
  const app = createServer(options);
  readForwardedFor(app);
  const noticesOf = sunsetNotices(options.versions);
  if (observer) {
    app.addHook("onRequest", (request, reply, done) => {
      observeRequest(request, reply, observer);
      done();
    });
  }
  if (tracer) traceRequests(app, tracer);
  const fixed = transportHeaders(options.tls !== undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(fixed).headers(noticesOf(pathOf(request)));
    startRequest(request, reply, done);
  });
  const routes = routesOf(options.services);
  const core: CoreOptions = { ...options, answers: new LargeAnswers() };
  const isPublic = Map.groupBy(routes, (route) => route.isPublic);
  void app.register(async (open) => {
    addProbes(open, options);
    for (const route of isPublic.get(true) ?? []) addPublicRoute(open, route, core);
  });
  void app.register(async (pages) => {
    await checkoutPages(pages, {
      core: checkoutCore(options.transport, options.coreToken),
      sessionLimits: new VisitLimits(options.sessionRates ?? NO_RATES),
      paymentLimits: new VisitLimits(options.sessionRates ?? NO_RATES),
      isSecure: options.publicUrl.startsWith("https:"),
    });
  });
  void app.register(docsPages);
  void app.register(async (media) => serveMedia(media, options.transport, options.coreToken));
  void app.register(async (callbacks) => takeCallbacks(callbacks, options));
  void app.register(consolePages, options);
  const limits = rateLimits(options.rateLimits);
  void app.register(async (closed) => {
    for (const route of isPublic.get(false) ?? []) addRoute(closed, route, core, limits);
  });
  const answered = [...routes, ...PROBES.map((path) => ({ path, verb: "GET" }))].flatMap((route) =>
    verbsOf(route).map((verb) => ({ path: route.path, verb })),
  );
  refuseOtherVerbs(app, [...answered, ...pageRoutes()]);
  return app;
}

/** Sets the request id on every answer, and refuses unknown addresses before their body is read. */
function startRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header(HEADERS.publicRequestId, request.id);
  const { rawHeaders, httpVersion } = request.raw;
  const hosts = headerValues(rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) {
    // Answered here: a page's error handler would report it as a failure of the service.
    sendError(reply, invalidRequest(null, "The request must have one Host header."));
    return;
  }
  if (request.is404) throw notFound();
  done();
}

/** Returns the path as the router matched it, regardless of percent escapes. */
function pathOf({ is404, routeOptions, raw }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? raw.url ?? "";
}

/** Adds a merchant route. Its steps run in this order. */
function addRoute(app: FastifyInstance, route: Route, core: CoreOptions, limits?: RateLimits): void {
  const callers = new WeakMap<FastifyRequest, { caller: Caller; idempotencyKey: string | undefined }>();
  app.route({
    method: verbsOf(route),
    url: route.path,
    onRequest: async (request, reply) => {
      requireId(request);
      const { rawHeaders } = request.raw;
      const key = readApiKey(rawHeaders);
      const ask = async () => await authenticate(core.transport, core.coreToken, key, request.id, request.ip);
      const caller = await (limits ? limits.authenticate(reply, key, ask) : ask());
      note(request, { tenantId: caller.tenantId, mode: caller.mode });
      limits?.take(reply, key, caller);
      authorize(route, caller);
      const idempotencyKey = readIdempotencyKey(route.idempotency, rawHeaders);
      if (route.verb === "POST") refuseOtherBodies(request.headers);
      callers.set(request, { caller, idempotencyKey });
    },
    handler: async (request, reply) => {
      const { caller, idempotencyKey } = callers.get(request) ?? {};
      const message = route.read(partsOf(request));
      return await callCore(core, route, message, request, reply, caller, idempotencyKey);
    },
  });
}

function addPublicRoute(app: FastifyInstance, route: Route, core: CoreOptions): void {
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

function pageRoutes(): { path: string; verb: string }[] {
  return Object.entries({
    ...PAGE_VERBS,
    ...DOCS_VERBS,
    ...CONSOLE_VERBS,
    ...MEDIA_VERBS,
    ...CALLBACK_VERBS,
  }).flatMap(([path, verbs]) => verbs.map((verb) => ({ path, verb })));
}

function createServer({
  logger,
  tls,
  versions,
  observer,
  trustedProxies = [],
}: GatewayOptions): FastifyInstance {
  const fixed = transportHeaders(tls !== undefined);
  // Node's own answer to a missing Host lacks our headers.
  const http = { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false };
  const app = fastify({
    ...(tls ? ({ https: { ...http, ...tls, ...ASKS_FOR_CERTIFICATE } } as object) : { http }),
    ...(logger === false ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request costs more than its one line, which has the request id anyway.
    childLoggerFactory: (parent) => parent,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: () => newId("req"),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // A long id is an unknown id, not an unknown path.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Fastify's own 503 has neither the request id nor the error shape.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerParserError(error, socket, fixed),
    frameworkErrors: (_error, request, reply) => {
      if (observer) observeRequest(request, reply, observer);
      const refused = invalidRequest(null, "The address holds a bad percent escape.");
      const notices = sunsetNotices(versions)(request.raw.url ?? "");
      sendError(reply.headers({ ...fixed, [HEADERS.publicRequestId]: request.id, ...notices }), refused);
    },
  });
  acceptJsonBodies(app);
  // Node's own answer to an unknown expectation lacks our headers. HTTP allows ignoring it.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFound()));
  app.setErrorHandler((error, request, reply) => {
    const refused = fromFastify(error) ?? toPublicError(error);
    if (refused.status >= 500 && !isCoreUnavailable(error))
      request.log.error({ err: error, request_id: request.id }, "request failed");
    return sendError(reply, refused);
  });
  return app;
}

/** Returns the contract's error for what Fastify refuses in a body, or undefined. */
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
