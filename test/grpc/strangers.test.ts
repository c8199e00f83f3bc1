import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import { expect, test, vi } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { startService } from "../support/service.ts";
import { envelope } from "./raw-calls.ts";

const { getPaymentLink } = LinksService.method;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const tenant = await service.createTenant();

function caller(): Record<string, string> {
  return { ...service.internal.headers, "paylink-tenant": tenant.id, "paylink-mode": "test" };
}

const address = (): { port: number; host: string } => ({
  port: Number(ports.http2.split(":")[1]),
  host: "127.0.0.1",
});

test("connections that never showed a token are few: the oldest makes room, one with a token stays", async () => {
  const grpc = new GrpcClient(ports.http2);
  await grpc.unary(getPaymentLink, { id: "pl_x" }, caller()).catch(() => undefined);
  let closed = 0;
  const sockets = Array.from({ length: 260 }, () =>
    connectSocket(address())
      .resume()
      .on("close", () => closed++)
      .on("error", () => undefined),
  );
  await vi.waitUntil(() => closed >= 60, { timeout: 10_000 });
  const failure = await failureOf(grpc.unary(getPaymentLink, { id: "pl_x" }, caller()));
  expect(failure).toMatchObject({ status: "NOT_FOUND" });
  for (const socket of sockets) socket.destroy();
  grpc.close();
});

test.each([
  ["calls", "/paylink.links.v1.LinksService/GetPaymentLink"],
  ["addresses with a bad escape", "/%"],
])(
  "after too many %s without a good token nothing is answered but calls that have one",
  async (_name, path) => {
    const flood = connect(`http://${ports.http2}`);
    flood.on("error", () => undefined);
    const ended = once(flood, "close");
    const all = 1500;
    let answered = 0;
    for (let count = 0; count < all; count++) {
      const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
      const call = flood.request(headers).on("error", () => undefined);
      call.on("response", () => answered++).end(envelope(Buffer.alloc(0)));
    }
    await ended;
    expect(answered).toBeLessThan(all);
    const grpc = new GrpcClient(ports.http2);
    const failure = await failureOf(grpc.unary(getPaymentLink, { id: "pl_x" }, caller()));
    expect(failure).toMatchObject({ status: "NOT_FOUND" });
    grpc.close();
  },
);

/** A frame of HTTP/2 of a connection itself, which no handler sees. */
function frame(type: number, ...payload: number[]): Buffer {
  return Buffer.from([0, 0, payload.length, type, 0, 0, 0, 0, 0, ...payload]);
}

test("a connection that sends much before its first good token ends, and one with a token goes on", async () => {
  const [settings, windowUpdate] = [4, 8];
  const socket = connectSocket(address()).resume();
  socket.on("error", () => undefined);
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(settings)]));
  const piece = Buffer.concat(Array.from({ length: 6000 }, () => frame(windowUpdate, 0, 0, 0, 1)));
  let sent = 0;
  const more = setInterval(() => {
    sent += piece.length;
    socket.write(piece);
  }, 5);
  await vi.waitUntil(() => socket.closed, { timeout: 20_000 });
  clearInterval(more);
  expect(sent).toBeGreaterThan(512 * 1024);
  const grpc = new GrpcClient(ports.http2);
  const long = { id: "x".repeat(10_000) };
  for (let count = 0; count < 60; count++)
    await expect(grpc.unary(getPaymentLink, long, caller())).rejects.toThrow("There is no such payment");
  expect(await failureOf(grpc.unary(getPaymentLink, { id: "pl_x" }, caller()))).toMatchObject({
    status: "NOT_FOUND",
  });
  grpc.close();
});
