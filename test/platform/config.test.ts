import { expect, test } from "vitest";
import { readConfig } from "../../src/platform/config.ts";

const DATABASE_URL = "postgresql://127.0.0.1/paylink";

test.each([
  [{}, true],
  [{ PUBLIC_URL: "http://localhost:8080" }, true],
  [{ PUBLIC_URL: "http://pay.localhost" }, true],
  [{ PUBLIC_URL: "http://127.8.9.1" }, true],
  [{ PUBLIC_URL: "http://[::1]:8080" }, true],
  [{ PUBLIC_URL: "https://pay.example.com" }, false],
  [{ PUBLIC_URL: "http://192.168.1.4:8080" }, false],
  [{ PUBLIC_URL: "https://localhost.example.com" }, false],
  [{ HOST: "192.168.1.4" }, false],
  [{ DATABASE_URL }, false],
  [{ DATABASE_URL, PUBLIC_URL: "http://localhost:8080" }, false],
  [{ PUBLIC_URL: "https://pay.example.com", WEBHOOK_ALLOW_LOOPBACK: "true" }, true],
  [{ WEBHOOK_ALLOW_LOOPBACK: "false" }, false],
])("with %j webhooks of test mode may go to this machine: %j", (env, isAllowed) => {
  expect(readConfig(env).allowLoopbackWebhooks).toBe(isAllowed);
});
