import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createServer } from "../../gateway/server.ts";
import { forFile } from "../support/for-file.ts";

const LARGE = "x".repeat(8 * 1024 ** 2);

const lines: { msg: string; err: { code: string } }[] = [];
const logger = pino({ level: "error" }, { write: (line: string) => lines.push(JSON.parse(line)) });
const app = createServer({ logger, versions: [] });
await forFile(Promise.resolve(app));
let leftCount = 0;
app.get("/large", (_request, reply) => {
  reply.raw.once("close", () => leftCount++);
  return reply.send(LARGE);
});
app.get("/ended", (_request, reply) => {
  reply.hijack();
  reply.raw.end("whole");
  for (let times = 0; times < 3; times++) reply.raw.write("more");
});
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;

test("what is written to an answer after its end is logged, and the process goes on", async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/ended`);
  expect(await answer.text()).toBe("whole");
  await expect.poll(() => lines.length).toBe(3);
  for (const line of lines.splice(0)) {
    expect(line).toMatchObject({ msg: "an answer failed", err: { code: "ERR_STREAM_WRITE_AFTER_END" } });
  }
});

test("a client that leaves amid an answer is no failure of it", async () => {
  for (const leave of ["destroy", "resetAndDestroy"] as const) {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /large HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    socket[leave]();
    await once(socket, "close");
  }
  await expect.poll(() => leftCount).toBe(2);
  expect(lines).toEqual([]);
});
