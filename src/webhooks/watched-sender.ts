import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { Mode } from "../platform/rpc/caller.ts";
import type { CoreObserver } from "../platform/observe/observer.ts";
import type { Sender } from "./sender.ts";

/**
 * Returns a sender whose attempts are counted and traced. Spans have no address and no headers, which may contain
 * secrets. The receiver gets no trace id.
 */
export function watchedSender(
  sender: Sender,
  mode: Mode,
  observer: CoreObserver | undefined,
  tracer: Tracer | undefined,
): Pick<Sender, "post"> {
  if (!observer && !tracer) return sender;
  return {
    post: async (...given) => {
      const attributes = { "http.request.method": "POST", "paylink.mode": mode };
      const span = tracer?.startSpan("POST webhook", { kind: SpanKind.CLIENT, attributes });
      const answer = await sender.post(...given);
      const outcome = answer.error ?? "succeeded";
      observer?.attemptEnded({ mode, outcome });
      if (answer.statusCode !== null) span?.setAttribute("http.response.status_code", answer.statusCode);
      if (answer.error !== null)
        span?.setAttribute("error.type", outcome).setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
      return answer;
    },
  };
}
