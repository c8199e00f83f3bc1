import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import fc from "fast-check";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { readAnswers } from "../../../../test/support/raw-http.ts";
import { Http } from "../../http.ts";
import { checkAnswer } from "../contract.ts";
import { requireNoFault } from "../faults.ts";
import { casesOf, Mismatch, type Part } from "../part.ts";
import type { Tally } from "../tally.ts";
import type { Target } from "../target.ts";
import { exchange } from "./exchange.ts";
import { http1Bytes } from "./http1.ts";
import { http2Bytes } from "./http2.ts";

const TIMEOUT_MS = 20_000;

interface Sent {
  readonly listener: "gateway" | "core http1" | "core http2";
  readonly bytes: readonly Uint8Array[];
}

const sent: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      listener: fc.constantFrom(
        "gateway" as const,
        "gateway" as const,
        "core http1" as const,
        "core http2" as const,
      ),
      bytes: http1Bytes,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      listener: fc.constantFrom("core http2" as const, "core http2" as const, "gateway" as const),
      bytes: http2Bytes,
    }),
  },
);

/** Bytes that no client sends, at every listener; the next good request is answered. */
export const SOCKETS: Part = {
  name: "sockets",
  share: 12,
  prepare: (target, tally) => {
    const listeners = new Listeners(target, tally);
    const run = async ({ listener, bytes }: Sent): Promise<void> => {
      await listeners.send(listener, bytes);
      await listeners.expectServing(listener);
      requireNoFault(target);
    };
    return Promise.resolve(casesOf(sent.map(shownAsText), run, () => Promise.resolve(listeners.close())));
  },
};

/** Bytes as a text, so that a counterexample can be read. */
function shownAsText(drawn: Sent): Sent {
  const text = JSON.stringify(Buffer.concat(drawn.bytes).toString("latin1"));
  return { ...drawn, [fc.toStringMethod]: () => `${drawn.listener} ${text}` } as Sent;
}

class Listeners {
  readonly #tally: Tally;
  readonly #addresses: Readonly<Record<Sent["listener"], string>>;
  readonly #gateway: Http;
  readonly #core: Http;
  readonly #health;

  constructor({ baseUrl, gatewayPort, core }: Target, tally: Tally) {
    this.#tally = tally;
    this.#addresses = {
      gateway: `127.0.0.1:${gatewayPort}`,
      "core http1": core.http1,
      "core http2": core.http2,
    };
    this.#gateway = new Http(() => baseUrl);
    this.#core = new Http(() => `http://${core.http1}`);
    this.#health = createClient(
      Health,
      createConnectTransport({ httpVersion: "2", baseUrl: `http://${core.http2}` }),
    );
  }

  async send(listener: Sent["listener"], bytes: readonly Uint8Array[]): Promise<void> {
    const received = await exchange(this.#addresses[listener], bytes);
    if (listener !== "gateway") {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received.toString("latin1"))?.[1];
      if (status?.startsWith("5")) throw new Mismatch(`the core answered ${received.toString("latin1")}`);
      this.#tally.add(received.length === 0 ? "closed" : "refused");
      return;
    }
    if (received.length === 0) this.#tally.add("closed");
    for (const { status, headers, text } of readAnswers(received.toString("latin1"))) {
      // An interim answer has neither body nor id.
      if (status < 200) continue;
      this.#tally.status(status);
      const isPage = !headers["content-type"]?.startsWith("application/json");
      if (status >= 500 || !isPage)
        checkAnswer({ status, headers, text: Buffer.from(text, "latin1").toString() });
    }
  }

  async expectServing(listener: Sent["listener"]): Promise<void> {
    if (listener === "core http2") {
      await this.#health.check({}, { timeoutMs: TIMEOUT_MS });
      return;
    }
    const isGateway = listener === "gateway";
    const { status } = isGateway
      ? await this.#gateway.send({ method: "GET", path: "/healthz" }, TIMEOUT_MS)
      : await this.#core.send(
          {
            method: "POST",
            path: "/grpc.health.v1.Health/Check",
            headers: { "content-type": "application/json", "content-length": "2" },
            body: "{}",
          },
          TIMEOUT_MS,
        );
    if (status !== 200) throw new Mismatch(`the next good request was answered ${status}`);
  }

  close(): void {
    this.#gateway.close();
    this.#core.close();
  }
}
