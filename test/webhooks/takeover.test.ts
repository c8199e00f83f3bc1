import { once } from "node:events";
import { spawn, type ChildProcess } from "node:child_process";
import { expect, test } from "vitest";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, ok, startReceiver } from "../support/receiver.ts";
import { MAIN } from "../support/part.ts";
import { startService } from "../support/service.ts";
import { isInFull } from "../support/scale.ts";

const TAKEOVER_MAX_MS = 65_000;

/** `paylink serve --role worker`, as an operator starts it. */
function startWorkerRole(databaseUrl: string): ChildProcess {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    CORE_TOKEN,
    DATA_KEY: DATA_KEY.toString("base64"),
    WEBHOOK_ALLOW_LOOPBACK: "true",
    LOG_LEVEL: "error",
    METRICS_PORT: "0",
  };
  const child = spawn(process.execPath, [MAIN, "serve", "--role", "worker"], { env, stdio: "ignore" });
  const orphan = (): void => void child.kill("SIGKILL");
  process.once("exit", orphan);
  child.once("exit", () => process.off("exit", orphan));
  return child;
}

test.runIf(isInFull())(
  "a job of a worker that died in the middle of it is taken over by another within 65 s",
  async () => {
    const service = await startService();
    const merchant = await createMerchant(service);
    const receiver = await startReceiver();
    // The first attempt is never answered: its worker dies before its time is over.
    receiver.answer((received, response) => {
      if (receiver.received.length > 1) ok(received, response);
    });
    await merchant.webhooks.createWebhookEndpoint(
      { url: receiver.url, eventTypes: OF_PAYMENTS },
      merchant.as,
    );
    const dying = startWorkerRole(service.databaseUrl);
    await merchant.pay();
    await receiver.until(1);
    const died = once(dying, "exit");
    dying.kill("SIGKILL");
    await died;
    const diedMs = Date.now();
    const living = startWorkerRole(service.databaseUrl);
    const [first, second] = await receiver.until(2, undefined, TAKEOVER_MAX_MS);
    console.info(`taken over after ${Date.now() - diedMs} ms`);
    expect(Date.now() - diedMs).toBeLessThan(TAKEOVER_MAX_MS);
    expect([second?.eventId, second?.text]).toEqual([first?.eventId, first?.text]);
    await expect
      .poll(async () => (await merchant.webhooks.listDeliveries({}, merchant.as)).deliveries)
      .toMatchObject([{ attemptCount: 1, lastStatusCode: 200 }]);
    const ended = once(living, "exit");
    living.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await receiver.close();
    await service.close();
  },
  90_000,
);
