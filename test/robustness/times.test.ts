import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { timesOf } from "../../src/platform/rpc/validation.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { openCorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const LAST_DAY = "9999-12-31";
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const LAST = { seconds: LAST_SECOND, nanos: 999_999_999 };

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const merchant = await createMerchant(service);
const receiver = await forFile(startReceiver());
const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
const payer = new Payer(service, await merchant.newLink());
await payer.open();
const { paymentId } = await payer.start();
const of = { tenantId: merchant.tenant.id, mode: Mode.TEST };
/** What else a request of each RPC needs that takes a time. */
const needed: Readonly<Record<string, object>> = {
  CreateApiKey: of,
  RecordReceipt: { reference: paymentId.replace("_", ""), amount: 15_990n, providerPaymentId: "E2E-first" },
  ListEvents: {},
  ListSentEvents: {},
  ListDeliveries: {},
  SearchDeliveries: {},
  SummarizeAttempts: {},
  ResendFailedEvents: { endpointId: endpoint?.id },
  PutFxPolicy: of,
};

const METHODS = unaryMethods(CORE_SERVICES);
const TIMED = METHODS.filter((method) => timesOf(method).length > 0);

/** How many times are in a message and in the messages in it. */
function countTimes(schema: DescMessage, within: readonly DescMessage[] = []): number {
  if (schema.typeName === "google.protobuf.Timestamp") return 1;
  if (within.includes(schema)) return 0;
  const inner = schema.fields.flatMap(({ message }) => message ?? []);
  return inner.reduce((sum, message) => sum + countTimes(message, [...within, schema]), 0);
}

/** Calls the RPC with a time in each of its fields for them. */
async function callAt(method: DescMethodUnary, time: object): Promise<unknown> {
  const client = createClient(
    method.parent,
    createGrpcTransport({ baseUrl: `http://${ports.http2}` }),
  ) as Readonly<Record<string, (request: object, options: object) => Promise<unknown>>>;
  const times = timesOf(method).map((path) =>
    path.toReversed().reduce<object>((value, { localName }) => ({ [localName]: value }), time),
  );
  return await client[method.localName]?.(Object.assign({ ...needed[method.name] }, ...times), merchant.as);
}

describe("a time in a request", () => {
  test("is found in the request and in the messages in it, in these RPCs", () => {
    const counts = METHODS.map((method) => [method.name, countTimes(method.input)]);
    expect(counts.filter(([, count]) => count !== 0)).toEqual(
      TIMED.map((method) => [method.name, timesOf(method).length]),
    );
    expect(TIMED.map(({ name }) => name).toSorted()).toEqual(Object.keys(needed).toSorted());
  });

  test.each(TIMED.map((method) => [method.name, method] as const))(
    "of %s may be the first and the last that there is, and no other",
    async (_, method) => {
      for (const time of [LAST, { seconds: FIRST_SECOND, nanos: 0 }]) {
        const refused = await refusalOf(callAt(method, time));
        // Some times are too early, and refused as such.
        expect(refused?.code ?? "invalid_request").toBe("invalid_request");
        if (time === LAST) expect(refused).toBeUndefined();
      }
      for (const time of [
        { seconds: LAST_SECOND + 1n, nanos: 0 },
        { seconds: FIRST_SECOND - 1n, nanos: 0 },
        { seconds: 2n ** 63n - 1n, nanos: 0 },
        { seconds: 0n, nanos: 1_000_000_000 },
        { seconds: 0n, nanos: -1 },
      ]) {
        const [path = []] = timesOf(method);
        const [param] = path.map(({ name }) => name);
        expect(await refusalOf(callAt(method, time))).toMatchObject({
          code: "invalid_request",
          param,
          message: `${path.map(({ name }) => name).join(".")} must be a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.`,
        });
      }
    },
  );
});

test("the last day is a period of every list", async () => {
  const { tenant, api, as } = merchant;
  const client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));
  const period = `from=${LAST_DAY}&to=${LAST_DAY}`;
  for (const page of ["audit", "payments", "links"]) {
    expect([page, (await client.get(`/console/test/${page}?${period}`)).statusCode]).toEqual([page, 200]);
  }
  expect((await api.get(`/v1/payments?${period}`)).status).toBe(200);
  const audit = createClient(AuditLogService, service.core.transport);
  const asked = { tenantId: tenant.id, from: LAST_DAY, to: LAST_DAY };
  expect((await audit.listAuditEntries(asked, as)).entries).toEqual([]);
});

describe("an answer in JSON", () => {
  const json = () =>
    ({ baseUrl: `http://${ports.http1}`, httpVersion: "1.1", useBinaryFormat: false }) as const;
  const identity = () => createClient(IdentityService, createConnectTransport(json()));

  test("shows a key that lasts to the last second, and its successor", async () => {
    const { id: tenantId } = await service.createTenant();
    const request = { tenantId, mode: Mode.TEST, expiresAt: LAST };
    const { id } = await identity().createApiKey(request, service.internal);
    service.clock.advance(3600);
    const next = await identity().rotateApiKey({ id }, service.internal);
    expect(next.expiresAt?.seconds).toBe(LAST_SECOND);
    const { apiKeys } = await identity().listApiKeys({ tenantId }, service.internal);
    expect(apiKeys.find((key) => key.id === next.id)?.expiresAt?.seconds).toBe(LAST_SECOND);
  });

  test.each([
    ["Connect", () => createConnectTransport(json())],
    ["gRPC", () => createGrpcTransport({ baseUrl: `http://${ports.http2}`, useBinaryFormat: false })],
    ["gRPC-Web", () => createGrpcWebTransport(json())],
  ])("that cannot be encoded is an internal error that says no more, over %s", async (_, transport) => {
    const { id: tenantId } = await service.createTenant();
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.run("UPDATE identity.api_key SET expires_at = '10000-01-01' WHERE tenant_id = $1", [tenantId]);
    await rows.close();
    const call = createClient(IdentityService, transport()).listApiKeys({ tenantId }, service.internal);
    const error = await call.then(String, (reason: unknown) => ConnectError.from(reason));
    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
    // The log names the answer and the reason.
    expect(service.faults.splice(0)).toMatchObject([
      { rpc: "paylink.identity.v1.IdentityService/ListApiKeys", err: { message: /Timestamp/ } },
    ]);
  });
});
