import { trace } from "@opentelemetry/api";
import type { RequestObserver } from "../../gateway/http/request-observer.ts";
import type { CoreObserver } from "../../src/platform/observe/observer.ts";
import type { SafeLog } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** Returns an observer that counts and logs each request. */
export function requestObserver(metrics: Metrics, log: SafeLog): RequestObserver {
  return (request) => {
    metrics.requestEnded(request);
    const { requestId, tenantId, mode, keyId, route, verb, status, outcome, param, durationMs, traceId } =
      request;
    log.info(
      {
        request_id: requestId,
        tenant: tenantId,
        mode,
        api_key: keyId,
        route,
        verb,
        status,
        outcome,
        param,
        duration_ms: durationMs,
        trace_id: traceId,
      },
      "request",
    );
  };
}

/**
 * Returns an observer that counts each call and each delivery. It logs only calls from other processes: the process's
 * own gateway logs its own requests.
 */
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
    providerFailed: (failure) => metrics.providers.failed(failure),
  };
}
