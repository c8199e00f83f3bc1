import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { holderAt, Occupancy } from "../../contract/occupancy.ts";
import { endSlow } from "../../gateway/unread-answer.ts";
import { forFile } from "../support/for-file.ts";

const server = createServer((_request, response) => {
  endSlow(response, 500);
  response.end(Buffer.alloc(32 * 1024 ** 2));
});
await forFile(
  Promise.resolve({ close: async () => await new Promise<void>((resolve) => server.close(() => resolve())) }),
);
await once(server.listen(0, "127.0.0.1"), "listening");

test("the networks of a neighbourhood have a bound together, and leave room for others", () => {
  const held = new Occupancy({ all: 64, ofOne: 16, ofGroup: 24 });
  const networks = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"].map(holderAt);
  const [first, second, third] = networks as [
    ReturnType<typeof holderAt>,
    ReturnType<typeof holderAt>,
    ReturnType<typeof holderAt>,
  ];
  held.add(first, 16);
  expect(held.exceeded(first, 1)).toBe("ofOne");
  expect(held.exceeded(second, 8)).toBeUndefined();
  held.add(second, 8);
  expect(held.exceeded(third, 1)).toBe("ofOne");
  for (const other of ["2001:db8:2::1", "192.0.2.1", "198.51.100.1"]) {
    expect(held.exceeded(holderAt(other), 12)).toBeUndefined();
    held.add(holderAt(other), 12);
  }
  expect(held.exceeded(holderAt("203.0.113.1"), 8)).toBe("all");
  held.add(second, -8);
  expect(held.exceeded(third, 8)).toBeUndefined();
});

test("an answer that is read a little now and then is cut off after its time", async () => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  const reading = setInterval(() => socket.read(1024), 50);
  socket.pause();
  const connections = async () =>
    await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  await once(socket, "connect");
  await expect.poll(connections).toBe(1);
  await expect.poll(connections, { timeout: 20_000 }).toBe(0);
  clearInterval(reading);
  socket.destroy();
});
