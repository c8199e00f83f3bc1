import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { createServer } from "../../gateway/server.ts";
import { newAuthority } from "../support/certificates.ts";
import { forFile } from "../support/for-file.ts";

const pair = await (await newAuthority("cuts")).issue();
const ports = await Promise.all([serve(), serve(pair)]);

/** A server of files that end as their address says, and its port. */
async function serve(tls?: { cert: string; key: string }): Promise<number> {
  const app = createServer({ logger: false, versions: [], tls });
  app.get("/whole", (_request, reply) => reply.send(Readable.from(["one,", "two"])));
  app.get("/fails", (_request, reply) => reply.send(Readable.from(failing())));
  app.get("/cut", (_request, reply) => {
    const endless = new Readable({ read: () => undefined });
    endless.push("one,");
    // As at the end of the time that a draining process gives its requests.
    setImmediate(() => app.server.closeAllConnections());
    return reply.send(endless);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  await forFile(Promise.resolve(app));
  return (app.server.address() as AddressInfo).port;
}

async function* failing(): AsyncGenerator<string> {
  yield "one,";
  await Promise.reject(new Error("the rest cannot be read"));
}

/** Asks by HTTP/1.0. Returns what came, and how its connection ended. */
async function ask(isSecure: boolean, path: string): Promise<{ received: string; end: string }> {
  const port = ports[isSecure ? 1 : 0] ?? 0;
  const socket: Socket = isSecure
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : connect(port, "127.0.0.1");
  let [received, end] = ["", "closed"];
  socket.on("data", (bytes) => (received += bytes.toString()));
  socket.on("error", (error: Error & { code?: string }) => (end = error.code ?? ""));
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
  await once(socket, "close").catch(() => undefined);
  return { received, end };
}

test.each([false, true])(
  "an answer by HTTP/1.0 that is whole ends with its connection, TLS %s",
  async (tls) => {
    const { received, end } = await ask(tls, "/whole");
    expect(received).toMatch(/\r\n\r\none,two$/);
    expect(end).toBe("closed");
  },
);

test.each([
  ["whose rest cannot be read", false, "/fails"],
  ["whose rest cannot be read, with TLS", true, "/fails"],
  ["that a stop cuts off", false, "/cut"],
  ["that a stop cuts off, with TLS", true, "/cut"],
])("an answer by HTTP/1.0 %s resets its connection", async (_name, tls, path) => {
  expect((await ask(tls, path)).end).toBe("ECONNRESET");
});
