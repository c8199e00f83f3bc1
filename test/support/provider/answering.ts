import type { Fault, Faults } from "./faults.ts";
import type { MadeAnswer, ProviderAnswer, ProviderRequest } from "./server.ts";

const HTML = "<html><body><h1>Manutenção programada</h1></body></html>";

/** A request that the provider received, its fault, and the status of its answer; null if it gave none. */
export interface ReceivedRequest<Call extends string> extends Omit<ProviderRequest, "url"> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly call: Call | null;
  readonly fault: Fault["kind"] | null;
  readonly status: number | null;
  readonly answer: string;
}

export interface AnsweringDeps<Call extends string> {
  readonly faults: Faults<Call>;
  readonly requests: ReceivedRequest<Call>[];
  readonly callOf: (request: ProviderRequest) => Call | null;
  /** Carries a request out, refusals among its answers. */
  readonly carryOut: (request: ProviderRequest) => MadeAnswer;
  /** Returns the provider's own form of a refusal. */
  readonly refusal: (status: number) => MadeAnswer;
}

/** Answers requests, with the faults that wait for them, and keeps both. */
export class Answering<Call extends string> {
  readonly #deps: AnsweringDeps<Call>;

  constructor(deps: AnsweringDeps<Call>) {
    this.#deps = deps;
  }

  answer(request: ProviderRequest): ProviderAnswer {
    const { method, url, headers, text } = request;
    const call = this.#deps.callOf(request);
    const fault = call === null ? undefined : this.#deps.faults.take(call, url.searchParams);
    const made = this.#made(request, fault);
    this.#deps.requests.push({
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      text,
      call,
      fault: fault?.kind ?? null,
      status: made?.status ?? null,
      answer: made?.text ?? "",
    });
    return made;
  }

  #made(request: ProviderRequest, fault: Fault | undefined): ProviderAnswer {
    const { carryOut, refusal } = this.#deps;
    switch (fault?.kind) {
      case undefined:
        return carryOut(request);
      case "cut":
        return null;
      case "hang":
        return undefined;
      case "unauthorized":
        return refusal(401);
      case "status":
        return refusal(fault.status);
      case "busy":
        return {
          ...refusal(429),
          ...(fault.retryAfter === null ? {} : { headers: { "retry-after": fault.retryAfter } }),
        };
      case "text":
        return {
          status: fault.status,
          contentType: "application/json",
          text: fault.text,
          headers: fault.headers ?? {},
        };
      case "lost":
        carryOut(request);
        return null;
      case "silent":
        carryOut(request);
        return undefined;
      case "html":
        carryOut(request);
        return { status: fault.status, contentType: "text/html", text: HTML };
      case "empty":
        carryOut(request);
        return { status: fault.status, contentType: null, text: "" };
      case "twice":
        carryOut(request);
        return carryOut(request);
      case "late":
        fault.hold(() => void carryOut(request));
        return null;
      case "held":
        return { ...carryOut(request), after: fault.until };
      case "before":
        fault.act();
        return carryOut(request);
      case "after": {
        const made = carryOut(request);
        fault.act();
        return made;
      }
    }
  }
}
