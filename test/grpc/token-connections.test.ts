import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectSocket, Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Inbox } from "../../src/platform/grpc/inbox.ts";
import { TokenConnections } from "../../src/platform/grpc/token-connections.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const LIST = "/paylink.links.v1.LinksService/ListPaymentLinks";
const MORE = 10;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const identity = createClient(IdentityService, service.core.transport);

async function newToken(more: { isGateway?: boolean; tenantId?: string } = {}): Promise<string> {
  const wanted = { name: "team", permissions: ["links:read"], ...more };
  return (await identity.createCoreToken(wanted, service.internal)).token;
}

interface Held {
  call(): Promise<void>;
  isClosed(): boolean;
  end(): void;
}

async function overHttp1(token: string): Promise<Held> {
  const [host, port] = ports.http1.split(":");
  const socket = connectSocket(Number(port), host).on("error", () => undefined);
  const head = `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  const call = async (): Promise<void> => {
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
    await once(socket, "data");
  };
  await call();
  return { call, isClosed: () => socket.closed, end: () => socket.destroy() };
}

async function overHttp2(token: string): Promise<Held> {
  const session = connect(`http://${ports.http2}`).on("error", () => undefined);
  const headers = { ":method": "POST", ":path": LIST, authorization: `Bearer ${token}` };
  const call = async (): Promise<void> => {
    const stream = session.request({ ...headers, "content-type": "application/json" }).resume();
    stream.end("{}");
    await once(stream, "response");
  };
  await call();
  return { call, isClosed: () => session.closed, end: () => session.destroy() };
}

async function hold(count: number, open: () => Promise<Held>): Promise<Held[]> {
  const held: Held[] = [];
  while (held.length < count) held.push(await open());
  return held;
}

test.each([
  ["HTTP/1.1", 256, overHttp1],
  ["HTTP/2", 100, overHttp2],
])(
  "%s: a company's tokens have a number of connections, and those without a call end",
  async (_name, most, open) => {
    const { id: tenantId } = await service.createTenant();
    const [token, more] = [await newToken({ tenantId }), await newToken({ tenantId })];
    const others = await open(await newToken());
    const held = await hold(most, async () => await open(token));
    const [first] = held;
    await first?.call();
    held.push(...(await hold(MORE, async () => await open(more))));
    const closed = (): number[] => held.flatMap((one, index) => (one.isClosed() ? [index] : []));
    await vi.waitUntil(() => closed().length >= MORE, { timeout: 5000 });
    await others.call();
    await first?.call();
    expect(closed()).toEqual(Array.from({ length: MORE }, (_, index) => index + 1));
    for (const one of [others, ...held]) one.end();
  },
);

test("a gateway has as many connections as it has requests", async () => {
  const token = await newToken({ isGateway: true });
  const held = await hold(256 + MORE, async () => await overHttp1(token));
  for (const one of held) await one.call();
  for (const one of held) one.end();
});

test("what gateways and tokens send is counted apart, and a company's tokens are one", async () => {
  const take = vi.spyOn(Inbox.prototype, "take");
  const { id: tenantId } = await service.createTenant();
  const { authorization = "" } = service.internal.headers;
  const own = authorization.slice("Bearer ".length);
  const [bound, gateway] = [await newToken({ tenantId }), await newToken({ isGateway: true })];
  for (const token of [own, gateway, bound]) (await overHttp1(token)).end();
  const senders = new Map(take.mock.calls.map(([, { kind, owner }]) => [kind, owner]));
  expect([...senders]).toEqual([
    ["gateway", ""],
    ["token", tenantId],
  ]);
  take.mockRestore();
});

test("all tokens together have a number of connections", async () => {
  const connections = new TokenConnections({ ofOne: 2, all: 3 });
  const sockets = Array.from({ length: 5 }, () => new Socket());
  for (const [index, socket] of sockets.entries()) connections.use(`ctk_${index}`, socket);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false]);
});
