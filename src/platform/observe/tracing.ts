import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type TextMapGetter,
  type Tracer,
} from "@opentelemetry/api";
import type { Interceptor } from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import { MODES, type Mode } from "../rpc/caller.ts";
import { isId } from "../../../contract/ids.ts";
import { refusalOf } from "./observer.ts";

const fromHeaders: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** Gives each call a span below its caller's, over any transport. */
export function traceCalls(tracer: Tracer): Interceptor {
  return (next) => async (request) => {
    const { service, method, header } = request;
    const parent = propagation.extract(context.active(), header, fromHeaders);
    const attributes = {
      "rpc.system.name": "connectrpc",
      "rpc.method": `${service.typeName}/${method.name}`,
      ...callerAttributes(header),
    };
    const name = `${service.typeName}/${method.name}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return await context.with(
      trace.setSpan(parent, span),
      async () =>
        await inSpan(
          span,
          async () => await next(request),
          (error) => {
            const { code, reason } = refusalOf(error);
            span.setAttributes({ "rpc.response.status_code": code, "error.type": reason ?? code });
          },
        ),
    );
  };
}

function callerAttributes(header: Headers): Record<string, string> {
  const [id, tenant, mode] = [HEADERS.requestId, HEADERS.tenant, HEADERS.mode].map(
    (name) => header.get(name) ?? "",
  );
  return {
    ...(isId("req", id ?? "") ? { "paylink.request_id": id as string } : {}),
    ...(isId("ten", tenant ?? "") ? { "paylink.tenant": tenant as string } : {}),
    ...(MODES.includes(mode as Mode) ? { "paylink.mode": mode as string } : {}),
  };
}

/** Ends the span with the work. It gets no text of an error. */
async function inSpan<T>(span: Span, work: () => Promise<T>, onError: (error: unknown) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    onError(error);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
