import type { DescService } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PROBES } from "./http/probe-paths.ts";
import { HEADERS } from "../contract/headers.ts";
import { consolePages, CONSOLE_VERBS } from "./console/app.ts";
import { checkoutCore } from "./checkout/core.ts";
import { checkoutPages, PAGE_VERBS } from "./checkout/routes.ts";
import { VisitLimits } from "./checkout/visit-limits.ts";
import { DOCS_VERBS, docsPages } from "./docs/routes.ts";
import { sunsetNotices } from "./rest/api-versions.ts";
import { CALLBACK_VERBS, takeCallbacks, type CallbackOptions } from "./callbacks.ts";
import type { CoreOptions } from "./rest/call.ts";
import { compressTexts } from "./http/compression.ts";
import { rootRedirect, ROOT_VERBS } from "./http/root-redirect.ts";
import { headerValues, readForwardedFor } from "./http/request-headers.ts";
import { addPublicRoute, addRoute, prepareCallers } from "./rest/merchant-routes.ts";
import { MEDIA_VERBS, serveMedia } from "./media.ts";
import { Permits } from "./http/permits.ts";
import { transportHeaders } from "./rest/transport-headers.ts";
import { addProbes } from "./http/probes.ts";
import { rateLimits, type RateLimitOptions } from "./rest/rate-limits.ts";
import { sendError } from "./http/replies.ts";
import { observeRequest } from "./http/request-observer.ts";
import { createServer, PARAM_LENGTH_MAX, type ServerOptions } from "./server.ts";
import { traceRequests, tracedTransport } from "./http/tracing.ts";
import { invalidRequest } from "./transcode/errors.ts";
import { routesOf } from "./transcode/route.ts";
import { VisitCounter } from "./checkout/visit-counter.ts";
import { AddressVerbs, methodNotAllowed, verbsOf, type Address, notFound } from "./http/addresses.ts";

export interface GatewayOptions extends ServerOptions {
  /** Addresses and networks of the proxies whose Client-Cert is believed. */
  readonly certificateProxies?: readonly string[];
  readonly transport: Transport;
  /** The services whose RPCs with a path are served. */
  readonly services: readonly DescService[];
  readonly coreToken: string;
  /** The gateway's address in browsers. */
  readonly publicUrl: string;
  /** True: the console's cookies lack Secure when publicUrl is http. Absent: false. */
  readonly allowsHttpConsole?: boolean;
  /** Address of hosted pictures in browsers. */
  readonly mediaBase: string;
  /** Limits on API requests. Absent: none. */
  readonly rateLimits?: RateLimitOptions;
  /** How many checkout sessions an address may open in a minute, and how many payments it may start; 0 or absent: any number. */
  readonly sessionsPerAddress?: number;
  /** Milliseconds between two reads of the state of a payer's open page. Absent: 1500. */
  readonly watchPollMs?: number;
  /** True: this is one of several processes behind one port, which count together. Absent: false. */
  readonly sharesCounts?: boolean;
  readonly isReady: () => Promise<boolean>;
  /** Absent: no spans. */
  readonly tracer?: Tracer;
}

type OpenServerOptions = ServerOptions & Pick<GatewayOptions, "tracer">;

/** Its clients are providers themselves, and no proxies. */
type CallbackGatewayOptions = Omit<OpenServerOptions, "trustedProxies"> &
  Omit<CallbackOptions, "certificateProxies">;

// A bank calls from a few addresses, with a few connections.
const CALLBACK_CONNECTIONS_MAX = 500;

/** Returns the REST gateway. Its routes and rules come from the services' descriptors. */
export function createGateway(given: GatewayOptions): FastifyInstance {
  const { tracer, sessionsPerAddress = 0, sharesCounts = false } = given;
  const options = tracer ? { ...given, transport: tracedTransport(given.transport, tracer) } : given;
  const routes = routesOf(options.services);
  const app = openServer(options, [...addressesOf(routes), ...pageAddresses()]);
  compressTexts(app);
  const core: CoreOptions = options;
  const permits = new Permits();
  const isPublic = Map.groupBy(routes, (route) => route.isPublic);
  void app.register(async (open) => {
    addProbes(open, options);
    for (const route of isPublic.get(true) ?? []) addPublicRoute(open, route, core);
  });
  void app.register(async (pages) => {
    permits.byNetwork(pages);
    new VisitCounter(options.transport, options.coreToken).watch(pages);
    await checkoutPages(pages, {
      core: checkoutCore(options.transport, options.coreToken),
      sessionLimits: new VisitLimits(sessionsPerAddress, "sessions", sharesCounts),
      paymentLimits: new VisitLimits(sessionsPerAddress, "payments", sharesCounts),
      isSecure: options.publicUrl.startsWith("https:"),
      watchPollMs: options.watchPollMs,
    });
  });
  void app.register(async (open) => {
    permits.byNetwork(open);
    await open.register(docsPages);
    await open.register(rootRedirect);
    await open.register(async (media) => serveMedia(media, options.transport, options.coreToken));
    await open.register(consolePages, options);
  });
  void app.register(async (callbacks) => takeCallbacks(callbacks, options));
  const limits = rateLimits(options.rateLimits, sharesCounts);
  void app.register(async (closed) => {
    prepareCallers(closed);
    for (const route of isPublic.get(false) ?? []) addRoute(closed, route, core, { limits, permits });
  });
  return app;
}

/** Returns the server of the port whose `tls` asks clients for certificates, any or none: it takes callbacks alone. */
export function createCallbackGateway(given: CallbackGatewayOptions): FastifyInstance {
  const { tracer } = given;
  const options = tracer ? { ...given, transport: tracedTransport(given.transport, tracer) } : given;
  const app = openServer(options, addressesIn(CALLBACK_VERBS));
  app.server.maxConnections = CALLBACK_CONNECTIONS_MAX;
  void app.register(async (callbacks) => takeCallbacks(callbacks, options));
  return app;
}

/** Returns a server with the steps that every request takes before its route. */
function openServer(options: OpenServerOptions, addresses: readonly Address[]): FastifyInstance {
  const { tracer, observer, versions, tls } = options;
  const app = createServer(options);
  readForwardedFor(app);
  const noticesOf = sunsetNotices(versions);
  if (observer) {
    app.addHook("onRequest", (request, reply, done) => {
      observeRequest(request, reply, observer);
      done();
    });
  }
  if (tracer) traceRequests(app, tracer);
  const fixed = transportHeaders(tls !== undefined);
  const verbs = new AddressVerbs(addresses, PARAM_LENGTH_MAX);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(fixed);
    if (noticesOf) reply.headers(noticesOf(pathOf(request)));
    startRequest(verbs, request, reply, done);
  });
  return app;
}

/** Sets the request id on every answer, and refuses unknown addresses and methods before their body is read. */
function startRequest(
  verbs: AddressVerbs,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  reply.header(HEADERS.publicRequestId, request.id);
  const { rawHeaders, httpVersion } = request.raw;
  const hosts = headerValues(rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) {
    // Answered here: a page's error handler would report it as a failure of the service.
    sendError(reply, invalidRequest(null, "The request must have one Host header."));
    return;
  }
  // The router takes it for "/".
  if (request.raw.url === "*") throw notFound();
  if (!request.is404) {
    done();
    return;
  }
  const allowed = verbs.of(request.raw.url ?? "");
  if (allowed === undefined) throw notFound();
  reply.header("allow", allowed);
  throw methodNotAllowed(allowed);
}

/** Returns the path as the router matched it, regardless of percent escapes. */
function pathOf({ is404, routeOptions, raw }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? raw.url ?? "";
}

function addressesOf(routes: readonly Address[]): Address[] {
  return [...routes, ...PROBES.map((path) => ({ path, verb: "GET" }))].flatMap((route) =>
    verbsOf(route).map((verb) => ({ path: route.path, verb })),
  );
}

function pageAddresses(): Address[] {
  return addressesIn({
    ...ROOT_VERBS,
    ...PAGE_VERBS,
    ...DOCS_VERBS,
    ...CONSOLE_VERBS,
    ...MEDIA_VERBS,
    ...CALLBACK_VERBS,
  });
}

function addressesIn(verbsOfPaths: Readonly<Record<string, readonly string[]>>): Address[] {
  return Object.entries(verbsOfPaths).flatMap(([path, verbs]) => verbs.map((verb) => ({ path, verb })));
}
