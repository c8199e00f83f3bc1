import type { Transport } from "@connectrpc/connect";
import { beforeEach, expect, test, vi } from "vitest";
import { createGateway } from "../../gateway/app.ts";
import { LargeBodies } from "../../gateway/large-bodies.ts";
import { HEADERS } from "../../contract/headers.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { Api } from "../support/api.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const SHORT = { amount: 15_990, currency: "BRL" };
const LARGE = { ...SHORT, metadata: { text: "x".repeat(60_000) } };
const PAID = { outcome: "succeeded" };
const PICTURE = { content: "A".repeat(100_000) };
const HELD: ReadonlySet<string> = new Set(["createPaymentLink", "simulatePayment", "uploadMedia"]);

const service = await forFile(startService());
const [one, other] = [await service.createTenant(), await service.createTenant()];

/** Tenants of the calls that the core has and does not answer. */
let held: (string | null)[] = [];
let release = Promise.withResolvers<void>();
let isHolding = false;

const { transport } = service.core;
const holding: Transport = {
  stream: transport.stream.bind(transport),
  unary: async (method, signal, timeoutMs, header, ...rest) => {
    if (isHolding && HELD.has(method.localName)) {
      const tenantId = new Headers(header).get(HEADERS.tenant);
      held.push(tenantId);
      await release.promise;
    }
    return await transport.unary(method, signal, timeoutMs, header, ...rest);
  },
};

const gateway = createGateway({
  transport: holding,
  services: [LinksService, MediaService],
  coreToken: CORE_TOKEN,
  versions: [{ name: "v1" }],
  logger: false,
  publicUrl: "http://127.0.0.1:8080",
  mediaBase: "http://127.0.0.1:8080/media",
  isReady: async () => true,
});

beforeEach(() => {
  held = [];
  release = Promise.withResolvers();
  isHolding = true;
});

async function create(key: string, body: object): Promise<number> {
  const { status } = await new Api({ gateway }, key).post("/v1/payment_links", body);
  return status;
}

async function createAtOnce(count: number, key: string, body: object): Promise<number[]> {
  return await Promise.all(Array.from({ length: count }, async () => await create(key, body)));
}

function countOf({ id }: { readonly id: string }): number {
  return held.filter((tenantId) => tenantId === id).length;
}

test("of a tenant's large bodies sent at once two are worked on, and others' requests go on", async () => {
  const many = createAtOnce(40, one.testKey, LARGE);
  await vi.waitFor(() => expect(countOf(one)).toBe(2));
  const same = create(one.testKey, SHORT);
  const others = createAtOnce(2, other.testKey, LARGE);
  await vi.waitFor(() => expect([countOf(one), countOf(other)]).toEqual([3, 2]));
  isHolding = false;
  release.resolve();
  expect(await Promise.all([many, same, others])).toEqual([
    Array.from({ length: 40 }, () => 201),
    201,
    [201, 201],
  ]);
});

test("of short requests for changes whose answers are large two are worked on, once there was one", async () => {
  isHolding = false;
  const api = new Api({ gateway }, one.testKey);
  const { body: link } = await api.post("/v1/payment_links", { ...LARGE, campaign: true });
  const pay = async () => (await api.post(`/v1/payment_links/${link.id}/simulate_payment`, PAID)).status;
  expect(await pay()).toBe(200);
  isHolding = true;
  const many = Promise.all(Array.from({ length: 10 }, pay));
  await vi.waitFor(() => expect(countOf(one)).toBe(2));
  const same = create(one.testKey, SHORT);
  await vi.waitFor(() => expect(countOf(one)).toBe(3));
  isHolding = false;
  release.resolve();
  expect(await Promise.all([many, same])).toEqual([Array.from({ length: 10 }, () => 200), 201]);
});

test("four of all tenants' large requests are worked on at once, and short ones go on", async () => {
  const bodies = new LargeBodies(60_000);
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const send = async (owner: string, bytes = 8192): Promise<void> =>
    await bodies.run({ owner, bytes, change: "/v1/payment_links" }, async () => {
      begun.push(owner);
      await end.promise;
    });
  const all = ["one", "one", "one", "two", "two", "three"].map(async (owner) => await send(owner));
  const short = send("three", 8191);
  await expect.poll(() => begun.toSorted()).toEqual(["one", "one", "three", "two", "two"]);
  end.resolve();
  await Promise.all([...all, short]);
  expect(begun).toHaveLength(7);
});

test("requests that wait long, as for the server of a name, take the places of their own tenants alone", async () => {
  const slow = [createAtOnce(3, one.testKey, LARGE), createAtOnce(3, one.liveKey, LARGE)];
  await vi.waitFor(() => expect(countOf(one)).toBe(4));
  const others = createAtOnce(2, other.testKey, LARGE);
  await vi.waitFor(() => expect(countOf(other)).toBe(2));
  expect(countOf(one)).toBe(4);
  isHolding = false;
  release.resolve();
  expect(new Set((await Promise.all([...slow, others])).flat())).toEqual(new Set([201]));
});

test("above 256 that wait, a tenant's are refused and may be sent again; others' wait", async () => {
  const many = createAtOnce(260, one.testKey, LARGE);
  await vi.waitFor(() => expect(countOf(one)).toBe(2));
  const others = createAtOnce(2, other.testKey, LARGE);
  await vi.waitFor(() => expect(countOf(other)).toBe(2));
  isHolding = false;
  release.resolve();
  const statuses = await many;
  expect(statuses.filter((status) => status === 503)).toHaveLength(2);
  expect(statuses.filter((status) => status === 201)).toHaveLength(258);
  expect(await others).toEqual([201, 201]);
});

test("pictures have turns of their own: one of a tenant, and twelve more wait", async () => {
  const upload = async (key: string): Promise<number> =>
    (await new Api({ gateway }, key).post("/v1/media", PICTURE)).status;
  const many = Promise.all(Array.from({ length: 14 }, async () => await upload(one.testKey)));
  await vi.waitFor(() => expect(countOf(one)).toBe(1));
  const others = [upload(other.testKey), create(one.testKey, LARGE)];
  await vi.waitFor(() => expect([countOf(one), countOf(other)]).toEqual([2, 1]));
  isHolding = false;
  release.resolve();
  // It is no picture.
  expect((await many).toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 13 }, () => 400), 503]);
  expect(await Promise.all(others)).toEqual([400, 201]);
});
