import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeEach, expect, test } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { createCoreServer } from "../../src/listeners.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { isReplay, times } from "../support/replays.ts";
import { startService, type TestTenant } from "../support/service.ts";

const LINK = { amount: 15_990, currency: "BRL", reference: "order-1" };
const request = { amount: 15_990n, currency: "BRL", reference: "order-1" };

let tenant: TestTenant;
let api: Api;
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const server = await forFile(createCoreServer(service.core));
const transport = createGrpcTransport({ baseUrl: await server.listen({ host: "127.0.0.1", port: 0 }) });
beforeEach(async () => {
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
});

const links = (): Promise<number> => rows.count("test.payment_link WHERE tenant_id = $1", [tenant.id]);

const create = async (key: string, input: object = request) => {
  let answered = new Headers();
  const headers = {
    ...service.internal.headers,
    "paylink-tenant": tenant.id,
    "paylink-mode": "test",
    "idempotency-key": key,
  };
  const onHeader = (header: Headers): void => void (answered = header);
  const client = createClient(LinksService, transport);
  const { paymentLink } = await client.createPaymentLink(input, { headers, onHeader });
  return { id: paymentLink?.id, isReplay: answered.get("idempotent-replay") === "true", headers: answered };
};

test("64 concurrent gRPC calls with one key make one link", async () => {
  const answers = await times(64, () => create("grpc"));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.filter((answer) => answer.isReplay)).toHaveLength(63);
  expect(await links()).toBe(1);
});

test("gRPC callers replay what REST wrote with the same key, and REST what they wrote", async () => {
  const rest = await api.post("/v1/payment_links", LINK, { idempotencyKey: "by rest" });
  const grpc = await create("by rest");
  expect(grpc).toMatchObject({ id: rest.body.id, isReplay: true });
  expect(grpc.headers.get("paylink-request-id")).toBe(rest.headers["x-request-id"]);

  const made = await create("by grpc");
  expect(made.isReplay).toBe(false);
  const again = await api.post("/v1/payment_links", LINK, { idempotencyKey: "by grpc" });
  expect([again.status, again.body.id, isReplay(again)]).toEqual([201, made.id, true]);
  expect(await links()).toBe(2);
});

test("gRPC callers are refused as REST is: another request, no key, a key of 256 characters", async () => {
  await api.post("/v1/payment_links", LINK, { idempotencyKey: "same" });
  await expect(create("same", { ...request, amount: 1n })).rejects.toMatchObject({ code: Code.Aborted });
  await expect(create("")).rejects.toMatchObject({ code: Code.InvalidArgument });
  await expect(create("k".repeat(256))).rejects.toMatchObject({ code: Code.InvalidArgument });
  expect(await links()).toBe(1);
});

test("gRPC callers get a kept refusal with the original request's id", async () => {
  const rest = await api.post("/v1/payment_links", { ...LINK, amount: 1 }, { idempotencyKey: "small" });
  const error = await create("small", { ...request, amount: 1n }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectError);
  const { code, rawMessage, metadata } = error as ConnectError;
  expect({ code, rawMessage }).toEqual({
    code: Code.FailedPrecondition,
    rawMessage: rest.body.error.message,
  });
  expect(metadata.get("paylink-request-id")).toBe(rest.headers["x-request-id"]);
  expect(metadata.get("idempotent-replay")).toBe("true");
});
