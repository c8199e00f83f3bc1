import type { Transport } from "@connectrpc/connect";
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type TextMapSetter,
  type Tracer,
} from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import { isProbe } from "./probe-paths.ts";
import { note } from "./request-observer.ts";

const FAULT_FROM = 500;

const intoHeaders: TextMapSetter<Headers> = {
  set: (headers, name, value) => headers.set(name, value),
};

/** Starts a span for each request, below the client's span if the request names one. Spans of its work are below it. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (isProbe(route)) {
      done();
      return;
    }
    const verb = request.method;
    const parent = propagation.extract(context.active(), request.headers);
    const span = tracer.startSpan(
      route === undefined ? verb : `${verb} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          "http.request.method": verb,
          "url.scheme": request.protocol,
          "paylink.request_id": request.id,
          ...(route === undefined ? {} : { "http.route": route }),
        },
      },
      parent,
    );
    note(request, { traceId: span.spanContext().traceId });
    const { raw } = reply;
    raw.once("close", () => {
      span.setAttribute("http.response.status_code", raw.statusCode);
      if (raw.statusCode >= FAULT_FROM) {
        span.setAttribute("error.type", String(raw.statusCode)).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
    context.with(trace.setSpan(parent, span), done);
  });
}

/** Returns the transport with a span for each call. The core's spans are below it. */
export function tracedTransport(transport: Transport, tracer: Tracer): Transport {
  return {
    stream: transport.stream.bind(transport),
    unary: async (method, signal, timeoutMs, header, input, contextValues) => {
      const name = `${method.parent.typeName}/${method.name}`;
      const attributes = { "rpc.system.name": "connectrpc", "rpc.method": name };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
      const below: Context = trace.setSpan(context.active(), span);
      const headers = new Headers(header);
      propagation.inject(below, headers, intoHeaders);
      try {
        return await context.with(
          below,
          async () => await transport.unary(method, signal, timeoutMs, headers, input, contextValues),
        );
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}
