import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const send = async (payload: Buffer, type: string) =>
  await service.gateway.inject({
    method: "POST",
    url: "/providers/unknown/pix",
    payload,
    headers: { "content-type": type },
  });

test.each([";;;", "text/plain", "application/json"])(
  "a callback of type %s is read: its secret is unknown",
  async (type) => {
    expect((await send(Buffer.from("{}"), type)).statusCode).toBe(404);
  },
);

test("a callback that is too large is refused with the size that may be", async () => {
  expect((await send(Buffer.alloc(255 * 1024), "text/plain")).statusCode).toBe(404);
  const large = await send(Buffer.alloc(257 * 1024), "text/plain");
  expect(large.statusCode).toBe(413);
  expect(large.json()).toMatchObject({ error: { message: "The body is larger than 256 KiB." } });
});
