import type { ClientReadableStream } from "@grpc/grpc-js";
import { Code, createContextValues } from "@connectrpc/connect";
import { once } from "node:events";
import { afterAll, describe, expect, test } from "vitest";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
  type HealthCheckResponse,
} from "#schemas/grpc/health/v1/health_pb.js";
import { HealthService } from "../../src/platform/grpc/health.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { SERVICE_NAMES } from "../support/service-names.ts";
import { startService } from "../support/service.ts";

const { check, list, watch } = Health.method;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const grpc = new GrpcClient(ports.http2);
afterAll(() => grpc.close());

async function next(stream: ClientReadableStream<HealthCheckResponse>): Promise<Status> {
  const [{ status }] = (await once(stream, "data")) as [HealthCheckResponse];
  return status;
}

describe("grpc.health.v1, without a token", () => {
  test("Check answers for the server and each service, NOT_FOUND for others", async () => {
    for (const name of ["", LinksService.typeName]) {
      expect(await grpc.unary(check, { service: name })).toMatchObject({ status: Status.SERVING });
    }
    const unknown = failureOf(grpc.unary(check, { service: "paylink.nothing.v1.NothingService" }));
    expect(await unknown).toMatchObject({ status: "NOT_FOUND" });
  });

  test("List answers every service at once", async () => {
    const { statuses } = await grpc.unary(list, {});
    expect(Object.keys(statuses).toSorted()).toEqual(["", ...SERVICE_NAMES]);
    for (const { status } of Object.values(statuses)) expect(status).toBe(Status.SERVING);
  });

  test("Watch sends the state at once and SERVICE_UNKNOWN of others; canceled, it ends", async () => {
    for (const [name, status] of [
      ["", Status.SERVING],
      ["nothing", Status.SERVICE_UNKNOWN],
    ] as const) {
      const stream = grpc.serverStream(watch, { service: name });
      expect(await next(stream)).toBe(status);
      const failed = once(stream, "error");
      stream.cancel();
      expect(await failed).toMatchObject([{ code: 1 }]);
    }
  });
});

test("the state changes with what the core depends on, and a watcher receives it", async () => {
  let isServing = true;
  const health = new HealthService([LinksService], async () => {
    if (!isServing) throw new Error("the database is gone");
    return true;
  });
  const gone = new AbortController();
  const context = { signal: gone.signal, values: createContextValues() } as Parameters<
    typeof health.rpcs.watch
  >[1];
  const changes = health.rpcs.watch({ $typeName: "grpc.health.v1.HealthCheckRequest", service: "" }, context);
  const received: unknown[] = [];
  const watching = (async () => {
    for await (const { status } of changes) {
      received.push(status);
      isServing = !isServing;
      if (received.length === 3) gone.abort();
    }
  })();
  await expect(watching).rejects.toMatchObject({
    code: Code.Unavailable,
    rawMessage: "The service is stopping.",
  });
  expect(received).toEqual([Status.SERVING, Status.NOT_SERVING, Status.SERVING]);
});

test("500 may watch at a time", async () => {
  const health = new HealthService([LinksService], async () => true);
  const watcher = async (gone: AbortController) => {
    const context = { signal: gone.signal, values: createContextValues() } as Parameters<
      typeof health.rpcs.watch
    >[1];
    const request = { $typeName: "grpc.health.v1.HealthCheckRequest", service: "" } as const;
    const states = health.rpcs.watch(request, context)[Symbol.asyncIterator]();
    await states.next();
    return states;
  };
  const [first, others] = [new AbortController(), new AbortController()];
  const leaving = await watcher(first);
  for (let count = 1; count < 500; count++) await watcher(others);
  await expect(watcher(others)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  first.abort();
  await expect(leaving.next()).rejects.toMatchObject({ code: Code.Unavailable });
  await watcher(others);
  others.abort();
});
