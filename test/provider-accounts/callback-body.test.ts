import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { readAnswers, sendRaw } from "../support/raw-http.ts";
import { Scene } from "../live-pix/scene.ts";

const scene = await forFile(Scene.start());
const { service } = scene.live;
const merchant = await scene.merchant();
const own = `${merchant.path}?hmac=${await scene.register(merchant)}`;
const send = async (url: string, payload: Buffer, type: string) =>
  await service.gateway.inject({ method: "POST", url, payload, headers: { "content-type": type } });

test.each([";;;", "text/plain", "application/json"])(
  "a callback of type %s is read, and refused if its secret is unknown",
  async (type) => {
    expect((await send(own, Buffer.from("{}"), type)).statusCode).toBe(200);
    expect((await send("/providers/unknown/pix", Buffer.from("{}"), type)).statusCode).toBe(404);
  },
);

test("a callback that is too large is refused with the size that may be", async () => {
  expect((await send(own, Buffer.alloc(255 * 1024), "text/plain")).statusCode).toBe(200);
  const large = await send(own, Buffer.alloc(257 * 1024), "text/plain");
  expect(large.statusCode).toBe(413);
  expect(large.json()).toMatchObject({ error: { message: "The body is larger than 256 KiB." } });
});

test("a callback with an unknown secret or a wrong proof is refused before its body", async () => {
  await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  const { port } = service.gateway.server.address() as AddressInfo;
  const statusOf = async (path: string) => {
    // The last byte comes only after an answer.
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 3\r\n\r\n`;
    const [answer] = readAnswers(await sendRaw(port, `${head}{}`, " "));
    return answer?.status;
  };
  expect(await statusOf("/providers/unknown/pix")).toBe(404);
  expect(await statusOf(`${merchant.path}?hmac=wrong`)).toBe(403);
});
