import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect as connectSession, createServer as createHttp2Server } from "node:http2";
import { connect, type AddressInfo, type Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/platform/grpc/connections.ts";
import { outletOf, type Outlet } from "../../src/platform/grpc/outlet.ts";
import { paceSessions } from "../../src/platform/grpc/paced-socket.ts";
import { UnreadAnswer, type Room } from "../../src/platform/grpc/unread-answer.ts";
import { UnreadAnswers, type Reader } from "../../src/platform/grpc/unread-answers.ts";
import { forFile } from "../support/for-file.ts";

const MIB = 1024 * 1024;
const TIMES = { stallMs: 30_000, overStallMs: 2000 };

/** An outlet whose client takes what a test says. */
function fakeOutlet() {
  const closing: (() => void)[] = [];
  const state = { held: 0, isCut: false, unsentBytes: 0, close: () => closing.forEach((each) => each()) };
  const outlet: Outlet = {
    address: "",
    isClosed: false,
    get unsentBytes() {
      return state.unsentBytes;
    },
    onClose: (listener) => void closing.push(listener),
    cut: () => (state.isCut = true),
  };
  return { outlet, state };
}

/** An answer, and what is held of it. */
function answered(isOver = false) {
  const { outlet, state } = fakeOutlet();
  const room: Room = {
    hold: (bytes) => {
      state.held = bytes;
      return { isOver };
    },
  };
  return { answer: new UnreadAnswer(outlet, room, TIMES), state };
}

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size));
}

describe("an answer", () => {
  test("is held whole until its client has it, and passes on in slices", async () => {
    const { answer, state } = answered();
    const body = answer.send(chunks(MIB, 10));
    const first = await body.next();
    expect([first.value?.length, state.held]).toEqual([65_536, MIB]);
    let passed = first.value?.length ?? 0;
    for await (const slice of body) passed += slice.length;
    expect(passed).toBe(MIB + 10);
    state.close();
    expect(state.held).toBe(0);
  });

  test("of which a part still waits is held besides the next part", async () => {
    const { answer, state } = answered();
    const body = answer.send(chunks(1000, 10));
    await body.next();
    state.unsentBytes = 1000;
    await body.next();
    expect(state.held).toBe(1010);
  });

  test("is cut off after 30 s without progress, and after two seconds if its client has too much unread", async () => {
    for (const [isOver, limitMs] of [
      [false, 30_000],
      [true, 2000],
    ] as const) {
      const { answer, state } = answered(isOver);
      await answer.send(chunks(MIB)).next();
      answer.check(0);
      answer.check(limitMs);
      expect(state.isCut).toBe(false);
      answer.check(limitMs + 1);
      expect(state.isCut).toBe(true);
    }
  });

  test("is cut off if it is read slower than 16 KiB in a second, and not if it is read at that pace", async () => {
    for (const [secondsPerSlice, isCut] of [
      [8, true],
      [4, false],
    ] as const) {
      const { answer, state } = answered();
      let seconds = 0;
      answer.check(0);
      for await (const slice of answer.send(chunks(4 * MIB))) {
        expect(slice.length).toBe(65_536);
        answer.check(1000 * seconds);
        seconds += secondsPerSlice;
      }
      expect(state.isCut).toBe(isCut);
    }
  });

  test("that waits for its service, and not for its client, is not cut off and holds nothing", async () => {
    const { answer, state } = answered();
    const body = answer.send(chunks(10, 10));
    await body.next();
    answer.check(0);
    expect(state.held).toBe(0);
    answer.check(3_600_000);
    expect(state.isCut).toBe(false);
  });

  test("that is complete and not taken is cut off", async () => {
    const { answer, state } = answered();
    for await (const slice of answer.send(chunks(10))) expect(slice.length).toBe(10);
    answer.check(0);
    answer.check(30_001);
    expect([state.isCut, state.held]).toEqual([true, 10]);
  });
});

test("answers of all tokens together are bounded, and leave room for small ones, gateways and networks", () => {
  const answers = new UnreadAnswers();
  const readerOf = (kind: Reader["kind"], owner: string): Reader => ({ kind, holder: { owner } });
  const held: (() => void)[] = [];
  for (const owner of ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"]) {
    const { outlet, state } = fakeOutlet();
    answers.watch(outlet, readerOf("token", owner)).expect(10 * MIB);
    held.push(() => state.close());
  }
  expect(answers.isFull(readerOf("token", "a"))).toBe(true);
  const other = readerOf("token", "e");
  expect([answers.isFull(other), answers.exceeds(other, 10 * MIB), answers.exceeds(other, 1000)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(answers.exceeds(readerOf("gateway", "gateway"), 10 * MIB)).toBe(false);
  expect(answers.exceeds(readerOf("stranger", "192.0.2.1"), 1000)).toBe(false);
  for (const leave of held) leave();
  expect([answers.isFull(readerOf("token", "a")), answers.exceeds(other, 10 * MIB)]).toEqual([false, false]);
});

/** Opens a server whose answers have 32 MiB. */
async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  await forFile(
    Promise.resolve({
      close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
    }),
  );
  return (server.address() as AddressInfo).port;
}

// A client that reads is in this process, which a busy machine stops for longer than half a second.
const stallMsOf = (path = ""): number => (path === "/read" ? 30_000 : 500);

let served = 0;
const serve = (outlet: Outlet, response: NodeJS.WritableStream, stallMs: number): void => {
  const room = { hold: () => ({ isOver: false }) };
  const answer = new UnreadAnswer(outlet, room, { stallMs, overStallMs: stallMs });
  const checks = setInterval(() => answer.check(performance.now()), 50);
  outlet.onClose(() => clearInterval(checks));
  served++;
  Readable.from(answer.send(chunks(32 * MIB))).pipe(response);
};

const http1 = createServer((request, response: ServerResponse) => {
  serve(outletOf(request, response, undefined), response, stallMsOf(request.url));
});
const http1Port = await listen(http1);
const accepted = new Connections();
const http2 = createHttp2Server((request, response) => {
  const stallMs = stallMsOf(request.url);
  serve(outletOf(request, response, accepted.socketOf(request), stallMs), response, stallMs);
});
paceSessions(http2, "connection");
http2.on("connection", (socket: Socket) => accepted.add(socket));
const http2Port = await listen(http2);
const openOn = async (server: Server): Promise<number> =>
  await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

test("an unread answer of HTTP/1.1 ends with its connection", async () => {
  const socket = connect(http1Port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause().write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await expect.poll(async () => await openOn(http1)).toBe(1);
  await expect.poll(async () => await openOn(http1), { timeout: 20_000 }).toBe(0);
  socket.destroy();
});

test("an answer of HTTP/2 that is read arrives whole", async () => {
  const session = connectSession(`http://127.0.0.1:${http2Port}`);
  onTestFinished(() => session.destroy());
  let received = 0;
  for await (const chunk of session.request({ ":path": "/read" })) received += (chunk as Buffer).length;
  expect(received).toBe(32 * MIB);
  session.close();
  await expect.poll(async () => await openOn(http2)).toBe(0);
});

test("a connection of HTTP/2 whose client reads nothing at all ends after its answer", async () => {
  const socket = connect(http2Port, "127.0.0.1");
  socket.on("error", () => undefined);
  // A window without end, and GET /, of which the kernel takes a part.
  const frames = [
    [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff],
    [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0],
    [0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84, 0x41, 1, 0x61],
  ];
  socket.pause().write(Buffer.from([...Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...frames.flat()]));
  await expect.poll(() => served).toBe(3);
  expect(await openOn(http2)).toBe(1);
  await expect.poll(async () => await openOn(http2), { timeout: 20_000 }).toBe(0);
  socket.destroy();
});
