import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";
import { forFile } from "../support/for-file.ts";
import { startReceiver, verified } from "../support/receiver.ts";
import { Served } from "./served.ts";

const on = await forFile(Served.start());
const receiver = await forFile(startReceiver());
const [demo] = JSON.parse(await readFile(join(on.dataDir, "demo-keys.json"), "utf8"));
const own = ["--tenant", demo.id];

test("trigger makes an event of each delivered type happen, which an endpoint receives", async () => {
  const { secret } = await on.json("webhooks", "create", ...own, "--mode", "test", "--url", receiver.url);
  const told = await Promise.all(
    DELIVERED_TYPES.map(async (type) => {
      const { event } = await on.json("trigger", type, ...own);
      const [received] = await receiver.until(1, ({ eventId }) => eventId === event);
      return verified(received as never, secret).type;
    }),
  );
  expect(told).toEqual(DELIVERED_TYPES);
});
