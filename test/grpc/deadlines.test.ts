import { Code, ConnectError, createClient, type HandlerContext, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { once } from "node:events";
import { connect } from "node:http2";
import pg from "pg";
import { describe, expect, test, vi } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { createGateway } from "../../gateway/app.ts";
import { createDirectTransport } from "../../src/platform/rpc/direct-transport.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { CoreClient } from "../support/core-client.ts";
import { failureOf } from "../support/grpc-client.ts";

const LINK = { amount: 15_990n, currency: "BRL", reference: "order-1" };
const { createPaymentLink } = LinksService.method;

const core = await CoreClient.forFile();
const { service, ports, tenant, grpc } = core;

describe("deadlines and cancellation", () => {
  /** No write that takes a key can end while `during` runs. */
  async function whileLocked<Result>(during: () => Promise<Result>): Promise<Result> {
    const blocker = new pg.Client({ connectionString: service.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query("BEGIN; LOCK TABLE test.idempotency IN ACCESS EXCLUSIVE MODE");
      return await during();
    } finally {
      await blocker.query("ROLLBACK");
      await blocker.end();
    }
  }

  test("a call ends at its deadline; a retry with its key then returns the one result", async () => {
    const key = "late";
    await whileLocked(async () => {
      const startedAt = performance.now();
      const deadline = Date.now() + 300;
      const failure = await failureOf(grpc.unary(createPaymentLink, LINK, core.caller(key), { deadline }));
      expect(failure.status).toBe("DEADLINE_EXCEEDED");
      expect(performance.now() - startedAt).toBeLessThan(3000);
    });
    const first = await grpc.unary(createPaymentLink, LINK, core.caller(key));
    expect(await grpc.unary(createPaymentLink, LINK, core.caller(key))).toEqual(first);
    expect(await countOf("test.idempotency WHERE key = $1", key)).toBe(1);
  });

  test("a deadline that is a year away is not over at once", async () => {
    const deadline = Date.now() + 365 * 86_400_000;
    const { paymentLink } = await grpc.unary(createPaymentLink, LINK, core.caller("far"), { deadline });
    expect(paymentLink?.id).toMatch(/^pl_/);
  });

  test("an invalid host is refused for every call", async () => {
    const session = connect(`http://${ports.http2}`);
    const path = "/paylink.links.v1.LinksService/CreatePaymentLink";
    const stream = session.request({ ":method": "POST", ":path": path, ":authority": "[::" });
    stream.end();
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(400);
    stream.resume();
    session.close();
  });

  test.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  ])("the server itself answers %s at the deadline", async (_name, make) => {
    // A client's own timer would hide that the server does not keep to it.
    const transport = withoutTimer(make(`http://${ports.http2}`), "300");
    const call = whileLocked(async () => {
      const startedAt = performance.now();
      const failure = await createClient(LinksService, transport)
        .createPaymentLink(LINK, { headers: core.caller("server-side") })
        .catch((error: unknown) => error);
      expect(performance.now() - startedAt).toBeLessThan(3000);
      return failure;
    });
    expect(await call).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("a call that its caller cancels in progress is made once all the same, as a retry with its key shows", async () => {
    await whileLocked(async () => {
      const canceled = failureOf(
        grpc.unary(
          createPaymentLink,
          LINK,
          core.caller("gone"),
          {},
          (call) => void underWay().then(() => call.cancel()),
        ),
      );
      expect(await canceled).toMatchObject({ status: "CANCELLED" });
    });
    const first = await grpc.unary(createPaymentLink, LINK, core.caller("gone"));
    expect(await grpc.unary(createPaymentLink, LINK, core.caller("gone"))).toEqual(first);
    expect(await countOf("test.idempotency WHERE key = $1", "gone")).toBe(1);
  });

  describe("in the same process", () => {
    /** The gateway's own transport, in a hurry. */
    function hurried(): Transport {
      const { transport } = service.core;
      return {
        ...transport,
        unary: (method, signal, _timeoutMs, ...rest) => transport.unary(method, signal, 300, ...rest),
      };
    }

    test("a call ends at its timeout; a retry with its key then returns the one result", async () => {
      const links = createClient(LinksService, service.core.transport);
      const options = { headers: core.caller("direct"), timeoutMs: 300 };
      await whileLocked(async () => {
        const failure = await links.createPaymentLink(LINK, options).catch(asConnectError);
        expect(failure).toMatchObject({ code: Code.DeadlineExceeded });
      });
      const first = await links.createPaymentLink(LINK, { headers: core.caller("direct") });
      expect(await links.createPaymentLink(LINK, options)).toEqual(first);
      expect(await countOf("test.idempotency WHERE key = $1", "direct")).toBe(1);
    });

    test("a call that is over before it began is not made", async () => {
      const links = createClient(LinksService, service.core.transport);
      const headers = core.caller("over");
      const signal = AbortSignal.abort();
      const failures = [{ timeoutMs: 0 }, { signal }].map(
        async (ended) => await links.createPaymentLink(LINK, { headers, ...ended }).catch(asConnectError),
      );
      expect(await Promise.all(failures)).toMatchObject([
        { code: Code.DeadlineExceeded },
        { code: Code.Canceled },
      ]);
      expect(await countOf("test.idempotency WHERE key = $1", "over")).toBe(0);
    });

    test("an RPC knows how long it has, and its signal ends with the time or with its caller", async () => {
      const seen: HandlerContext[] = [];
      const transport = createDirectTransport(
        (router) =>
          void router.service(LinksService, {
            getPaymentLink: async (_request, context) => {
              seen.push(context);
              return await new Promise((_resolve, reject) => {
                context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
              });
            },
          }),
        [],
      );
      const links = createClient(LinksService, transport);
      const late = await links.getPaymentLink({ id: "pl_x" }, { timeoutMs: 50 }).catch(asConnectError);
      expect(late).toMatchObject({ code: Code.DeadlineExceeded });
      const gone = new AbortController();
      const canceled = links.getPaymentLink({ id: "pl_x" }, { signal: gone.signal }).catch(asConnectError);
      await vi.waitUntil(() => seen.length === 2);
      expect(seen[1]?.timeoutMs()).toBeUndefined();
      gone.abort();
      expect(await canceled).toMatchObject({ code: Code.Canceled });
      expect(seen.map(({ signal }) => signal.aborted)).toEqual([true, true]);
      expect(seen[0]?.timeoutMs()).toBeLessThanOrEqual(0);
    });

    test("what a merchant asks of a database that is silent ends as 504", async () => {
      const gateway = createGateway({
        transport: hurried(),
        services: [LinksService],
        coreToken: CORE_TOKEN,
        versions: [{ name: "v1" }],
        logger: false,
        publicUrl: "http://127.0.0.1:8080",
        mediaBase: "http://127.0.0.1:8080/media",
        isReady: service.core.isReady,
      });
      service.answers.watch(gateway);
      const answer = await whileLocked(
        async () =>
          await gateway.inject({
            method: "POST",
            url: "/v1/payment_links",
            headers: {
              authorization: `Bearer ${tenant.testKey}`,
              "content-type": "application/json",
              "idempotency-key": "silent",
            },
            payload: JSON.stringify({ amount: 15_990, currency: "BRL", reference: "order-1" }),
          }),
      );
      await gateway.close();
      expect([answer.statusCode, answer.json().error.code]).toEqual([504, "timeout"]);
    });
  });

  async function underWay(): Promise<void> {
    await vi.waitUntil(
      async () =>
        (await countOf("pg_locks WHERE NOT granted AND relation = 'test.idempotency'::regclass")) > 0,
      { interval: 10, timeout: 5000 },
    );
  }

  async function countOf(from: string, ...values: string[]): Promise<number> {
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${from}`, values);
    await client.end();
    return rows[0].count;
  }
});

function asConnectError(error: unknown): ConnectError {
  return ConnectError.from(error);
}

function withoutTimer(transport: Transport, timeoutMs: string): Transport {
  return {
    ...transport,
    unary: (method, signal, _timeoutMs, header, input, values) => {
      const headers = new Headers(header);
      headers.set("grpc-timeout", `${timeoutMs}m`);
      headers.set("connect-timeout-ms", timeoutMs);
      return transport.unary(method, signal, undefined, headers, input, values);
    },
  };
}
