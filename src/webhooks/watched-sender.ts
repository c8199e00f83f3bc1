import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { Mode } from "../platform/caller.ts";
import type { CoreObserver } from "../platform/observer.ts";
import type { Sender } from "./sender.ts";

/**
 * A sender whose attempts are counted and traced. Address and headers stay out of it: they may hold secrets, and the
 * trace is none of the receiver's business.
 */
export function watchedSender(
  sender: Sender,
  mode: Mode,
  observer: CoreObserver | undefined,
  tracer: Tracer | undefined,
): Pick<Sender, "post"> {
  if (!observer && !tracer) return sender;
  return {
    post: async (address, headers, body) => {
      const attributes = { "http.request.method": "POST", "paylink.mode": mode };
      const span = tracer?.startSpan("POST webhook", { kind: SpanKind.CLIENT, attributes });
      const answer = await sender.post(address, headers, body);
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
