import { trace } from "@opentelemetry/api";
import type { RequestObserver } from "../gateway/request-observer.ts";
import type { CoreObserver } from "../src/platform/observer.ts";
import type { SafeLog } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** Counts each request, and writes its line. */
export function requestObserver(metrics: Metrics, log: SafeLog): RequestObserver {
  return (request) => {
    metrics.requestEnded(request);
    const { requestId, tenantId, mode, route, verb, status, outcome, durationMs, traceId } = request;
    log.info(
      {
        request_id: requestId,
        tenant: tenantId,
        mode,
        route,
        verb,
        status,
        outcome,
        duration_ms: durationMs,
        trace_id: traceId,
      },
      "request",
    );
  };
}

/** Counts each call and each delivery, and writes a line for a call of another process: its own gateway writes its own. */
export function coreObserver(metrics: Metrics, log: SafeLog): CoreObserver {
  return {
    callEnded: (call) => {
      metrics.callEnded(call);
      if (call.isDirect) return;
      const { service, method, requestId, tenantId, mode, tokenId, outcome, durationMs } = call;
      log.info(
        {
          request_id: requestId,
          tenant: tenantId,
          mode,
          core_token: tokenId,
          rpc: `${service}/${method}`,
          outcome,
          duration_ms: durationMs,
          trace_id: trace.getActiveSpan()?.spanContext().traceId,
        },
        "call",
      );
    },
    attemptEnded: (attempt) => metrics.attemptEnded(attempt),
  };
}
