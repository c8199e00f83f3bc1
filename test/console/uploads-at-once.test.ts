import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { pictureFolder } from "../support/media.ts";
import { png } from "../support/pictures.ts";
import { startService } from "../support/service.ts";

const PAGE = "/console/test/media";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const port = Number(new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 })).port);

async function client(tenantId: string): Promise<ConsoleClient> {
  return new ConsoleClient(service, await createUser(service, tenantId, "developer"));
}

async function upload(by: ConsoleClient): Promise<number> {
  const form = { form_token: await by.formToken(PAGE) };
  return (await by.upload(PAGE, form, {}, { name: "a.png", content: await png() })).statusCode;
}

/** Begins an upload that does not end. */
async function begin(by: ConsoleClient): Promise<Socket> {
  const token = await by.formToken(PAGE);
  const part = (headers: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${text}`;
  const head = [
    `POST ${PAGE} HTTP/1.1`,
    "Host: 127.0.0.1:8080",
    "Origin: http://127.0.0.1:8080",
    `Cookie: ${[...by.cookies].map(([name, value]) => `${name}=${value}`).join("; ")}`,
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 15000000",
  ].join("\r\n");
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const file = part('name="content"; filename="a.png"', "x".repeat(1_000_000));
  socket.write(`${head}\r\n\r\n${part('name="form_token"', `${token}\r\n`)}${file}`);
  return socket;
}

/** Returns the first answer on any of the connections. All other uploads are under way then. */
async function firstAnswer(sockets: readonly Socket[]): Promise<string> {
  const chunks = await Promise.race(sockets.map(async (socket) => await once(socket, "data")));
  return (chunks[0] as Buffer).toString("latin1");
}

test("a tenant's unfinished uploads are few, others upload meanwhile, and leaving makes room", async () => {
  const [one, two] = [await service.createTenant(), await service.createTenant()];
  const by = await client(one.id);
  const sockets = [await begin(by), await begin(by), await begin(by)];
  expect(await firstAnswer(sockets)).toMatch(/^HTTP\/1\.1 429 /);
  expect([await upload(by), await upload(await client(two.id))]).toEqual([429, 303]);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => await upload(by), { timeout: 10_000 }).toBe(303);
});

test("uploads whose client leaves before they are read release their permits", async () => {
  const by = await client((await service.createTenant()).id);
  const { server } = service.gateway;
  const leave = ({ socket }: IncomingMessage): void => void socket.destroy();
  server.on("request", leave);
  const sockets = [await begin(by), await begin(by)];
  await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
  server.off("request", leave);
  // The first one begins behind those two, and may find their permits taken still.
  await upload(by);
  await expect.poll(async () => await upload(by), { timeout: 10_000 }).toBe(303);
});

test("the unfinished uploads of all tenants are bounded", async () => {
  const sockets: Socket[] = [];
  for (let count = 0; count < 8; count++) {
    const by = await client((await service.createTenant()).id);
    sockets.push(await begin(by), await begin(by));
  }
  const late = await client((await service.createTenant()).id);
  sockets.push(await begin(late));
  expect(await firstAnswer(sockets)).toMatch(/^HTTP\/1\.1 429 /);
  expect(await upload(late)).toBe(429);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => await upload(late), { timeout: 10_000 }).toBe(303);
});
