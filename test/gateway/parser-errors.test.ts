import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createServer } from "../../gateway/server.ts";

const app = createServer({ logger: false, versions: [] });
afterAll(async () => await app.close());
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
const connections = promisify(app.server.getConnections.bind(app.server));

const TOO_LATE = Object.assign(new Error("too late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

test.each([
  ["sent no request in time", "", 408],
  ["sent what is no request", "hello\r\n\r\n", 400],
])("a client that %s and does not close its connection is cut off", async (_, bytes, status) => {
  const taken = once(app.server, "connection");
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => undefined);
  const [socket] = (await taken) as [object];
  if (bytes === "") app.server.emit("clientError", TOO_LATE, socket);
  else client.write(bytes);
  const [answer] = (await once(client, "data")) as [Buffer];
  expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nConnection: close\r\n`, "s"));
  await expect.poll(() => connections(), { timeout: 20_000 }).toBe(0);
  client.destroy();
});
