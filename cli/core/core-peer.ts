import { Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { AS_TEXTS, holdsObjects, OBJECTS_HEADER, withObjects } from "../../contract/object-texts.ts";
import type { ClientTls } from "../../src/platform/config/tls.ts";
import { isBroken } from "./connection-errors.ts";
import { coreAgent } from "./core-agent.ts";
import { longerRest, type RestingPeer } from "./core-peers.ts";

// A core answers within a second that its database is silent.
const PROBE_MS = 1500;

/**
 * A core in another process. It rests when it cannot be reached or a probe finds it silent, until it answers a call or a
 * probe. Probes run while it rests, and do not keep the process from ending.
 */
export class CorePeer implements RestingPeer {
  readonly transport: Transport;
  #restMs = 0;
  #probe: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(baseUrl: string, tls: ClientTls) {
    this.transport = createConnectTransport({
      baseUrl,
      httpVersion: "1.1",
      useBinaryFormat: true,
      nodeOptions: { agent: coreAgent(baseUrl, tls) },
      interceptors: [takeObjectTexts],
    });
  }

  get restMs(): number {
    return this.#restMs;
  }

  /** Begins a rest, if it does not rest. */
  rest(): void {
    if (this.#restMs === 0) this.#restLonger();
  }

  /** Ends a rest: the core has answered. */
  wake(): void {
    this.#restMs = 0;
    clearTimeout(this.#timer);
  }

  /** Returns whether a core that has not answered a call for some time is there. If it is silent, it rests. */
  async isThere(): Promise<boolean> {
    if (this.#restMs > 0) return false;
    const isThere = await this.#answersProbe();
    if (!isThere) this.rest();
    return isThere;
  }

  #restLonger(): void {
    this.#restMs = longerRest(this.#restMs);
    this.#timer = setTimeout(() => void this.#probeAgain(), this.#restMs).unref();
  }

  async #probeAgain(): Promise<void> {
    const isThere = await this.#answersProbe();
    // A call may have been answered meanwhile.
    if (this.#restMs === 0) return;
    if (isThere) this.wake();
    else this.#restLonger();
  }

  /** Asks for the core's health, once at a time. Any answer is one, also that it cannot serve now. */
  async #answersProbe(): Promise<boolean> {
    this.#probe ??= createClient(Health, this.transport)
      .check({}, { timeoutMs: PROBE_MS })
      .then(
        () => true,
        (error: unknown) => !isBroken(error) && ConnectError.from(error).code !== Code.DeadlineExceeded,
      )
      .finally(() => {
        this.#probe = undefined;
      });
    return await this.#probe;
  }
}

/** Takes the free objects of responses as texts. A core of an earlier release sends them as before. */
const takeObjectTexts: Interceptor = (next) => async (request) => {
  const { output } = request.method;
  if (!holdsObjects(output)) return await next(request);
  request.header.set(OBJECTS_HEADER, AS_TEXTS);
  const response = await next(request);
  if (response.stream || response.header.get(OBJECTS_HEADER) !== AS_TEXTS) return response;
  return { ...response, message: withObjects(output, response.message) };
};
