import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { Sender } from "../../src/webhooks/sender.ts";
import { startReceiver } from "../support/receiver.ts";

const TYPE_A = 1;
const TYPE_CNAME = 5;

/** A name server of its own: answers what `respond` makes of a question, or nothing. */
async function startNameServer(
  respond: (question: Buffer, type: number) => Buffer | undefined,
): Promise<{ address: string; socket: Socket }> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const answer = respond(question, question.readUInt16BE(question.length - 4));
    if (answer) socket.send(answer, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, socket };
}

/** The question back with these IPv4 addresses, or with a code of failure. */
function reply(question: Buffer, addresses: readonly number[][], code = 0): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 + code, 2);
  head.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((bytes) =>
    Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...bytes]),
  );
  // What follows the question in a query is not repeated.
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records]);
}

/** The question back with another name for the one that was asked, and no address. */
function alias(question: Buffer): Buffer {
  const head = reply(question, []);
  head.writeUInt16BE(1, 6);
  const target = Buffer.from([4, ...Buffer.from("gone"), 0xc0, 12]);
  return Buffer.concat([
    head,
    Buffer.from([0xc0, 12, 0, TYPE_CNAME, 0, 1, 0, 0, 0, 0, 0, target.length]),
    target,
  ]);
}

async function addressesOf(lookup: ReturnType<typeof nameLookup>, name: string): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

test("answers all addresses of a name, and localhost without asking", async () => {
  const { address, socket } = await startNameServer((question, type) =>
    reply(
      question,
      type === TYPE_A
        ? [
            [93, 184, 215, 14],
            [10, 0, 0, 1],
          ]
        : [],
    ),
  );
  const lookup = nameLookup([address]);
  expect(await addressesOf(lookup, "hooks.example.com")).toEqual([
    { address: "93.184.215.14", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ]);
  for (const name of ["localhost", "LOCALHOST.", "any.localhost"]) {
    expect(await addressesOf(lookup, name)).toEqual([
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  }
  socket.close();
});

test("a name that leads to a private address is refused at connect time", async () => {
  const { address, socket } = await startNameServer((question, type) =>
    reply(question, type === TYPE_A ? [[10, 0, 0, 1]] : []),
  );
  const sender = new Sender({
    policy: { isLoopbackAllowed: true },
    lookup: nameLookup([address]),
    timeoutMs: 2000,
  });
  const answer = await sender.post("https://inside.example.com/", {}, Buffer.from("{}"));
  expect(answer).toMatchObject({ statusCode: null, error: "address_refused" });
  socket.close();
});

test("an alias of a name without an address is not resolved, by https and by http", async () => {
  const { address, socket } = await startNameServer((question) => alias(question));
  const lookup = nameLookup([address]);
  await expect(addressesOf(lookup, "alias.example.com")).rejects.toMatchObject({ code: "ENODATA" });
  const sender = new Sender({ policy: { isLoopbackAllowed: true }, lookup, timeoutMs: 2000 });
  for (const url of ["https://alias.example.com/", "http://alias.example.com/"]) {
    const answer = await sender.post(url, {}, Buffer.from("{}"));
    expect(answer).toMatchObject({ statusCode: null, error: "name_not_resolved" });
  }
  socket.close();
});

test("names whose servers never answer delay no other, and end as not resolved", async () => {
  const { address, socket } = await startNameServer(() => undefined);
  const receiver = await startReceiver();
  const sender = new Sender({
    policy: { isLoopbackAllowed: true },
    lookup: nameLookup([address]),
    timeoutMs: 15_000,
  });
  const slow = Array.from(
    { length: 16 },
    async (_, index) => await sender.post(`https://slow-${index}.example.com/`, {}, Buffer.from("{}")),
  );
  const url = receiver.url.replace("127.0.0.1", "localhost");
  const { statusCode, latencyMs } = await sender.post(url, {}, Buffer.from("{}"));
  expect(statusCode).toBe(200);
  expect(latencyMs).toBeLessThan(1000);
  for (const answer of await Promise.all(slow)) expect(answer).toMatchObject({ error: "name_not_resolved" });
  socket.close();
  await receiver.close();
});

test("of a name with very many addresses the first 64 are looked at", async () => {
  const many = Array.from({ length: 65 }, (_, index) => [93, 184, 215, index]);
  const { address, socket } = await startNameServer((question, type) =>
    reply(question, type === TYPE_A ? many : []),
  );
  expect(await addressesOf(nameLookup([address]), "many.example.com")).toEqual(
    many.slice(0, 64).map((bytes) => ({ address: bytes.join("."), family: 4 })),
  );
  socket.close();
});
