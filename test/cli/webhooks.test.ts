import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { MAIN } from "../support/part.ts";
import { runCommand, startProcess } from "../support/process.ts";
import { startReceiver, verified } from "../support/receiver.ts";
import { isInFull } from "../support/scale.ts";

const folder = await makeDataFolder();
const remove = folder.remove;
afterAll(async () => await remove());
const service = await startProcess(folder.path);
afterAll(async () => await service.end("SIGTERM"));
const receiver = await forFile(startReceiver());
const [demo] = JSON.parse(await readFile(join(folder.path, "demo-keys.json"), "utf8"));
const key = demo.test_key;
const own = ["--tenant", demo.id, "--mode", "test"];

// oxlint-disable-next-line typescript/no-explicit-any
async function json(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runCommand([...args, ...own, "--json"], service.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

// oxlint-disable-next-line typescript/no-explicit-any
async function post(path: string, body: object): Promise<any> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  return await response.json();
}

async function pay(outcome = "succeeded"): ReturnType<typeof post> {
  const link = await post("/v1/payment_links", { amount: 15_990, currency: "BRL", reference: "order-1" });
  return await post(`/v1/payment_links/${link.id}/simulate_payment`, { outcome });
}

describe("paylink webhooks, events, deliveries, ledger", () => {
  test.runIf(isInFull())(
    "from an endpoint to a verified webhook, its log, and books that balance",
    async () => {
      const made = await json(
        "webhooks",
        "create",
        "--url",
        receiver.url,
        "--events",
        "payment.succeeded,link.expired",
        "--description",
        "Orders",
      );
      expect(await json("webhooks", "list")).toMatchObject([{ id: made.id, description: "Orders" }]);
      expect(made).toEqual({ id: expect.stringMatching(/^we_/), secret: expect.stringMatching(/^whsec_/) });
      const payment = await pay();
      const [received] = await receiver.until(1);
      expect(verified(received as never, made.secret)).toMatchObject({
        reference: "order-1",
        data: { payment },
      });

      const [event] = await json("events", "list", "--object", payment.id);
      expect(event).toMatchObject({ id: received?.eventId, type: "payment.succeeded", reference: "order-1" });
      const shown = await runCommand(["events", "show", event.id, ...own], service.env);
      expect(shown.stdout).toBe(`${received?.text}\n`);
      await expect
        .poll(async () => await json("deliveries", "list", "--event", event.id), { timeout: 10_000 })
        .toMatchObject([{ endpoint: made.id, status: "succeeded", attempts: 1, last_status_code: 200 }]);

      const [resent] = await json("events", "resend", event.id);
      await receiver.until(2);
      expect(receiver.received[1]?.text).toBe(received?.text);
      await expect
        .poll(async () => (await json("deliveries", "attempts", resent.id)).length, { timeout: 10_000 })
        .toBe(2);

      const modes = ["--mode", "test", "--json"];
      const check = await runCommand(["ledger", "check", ...modes], service.env);
      expect(check).toMatchObject({ code: 0, stdout: '{"result":"clean","entries":1,"payments":1}\n' });
      expect(await json("ledger", "balance", "--currency", "BRL")).toEqual([
        { account: "merchant_payable", currency: "BRL", debit: 0, credit: payment.net_amount },
        { account: "provider_clearing", currency: "BRL", debit: payment.gross_amount, credit: 0 },
        { account: "revenue.service", currency: "BRL", debit: 0, credit: payment.fee_amount },
      ]);
      expect(await json("ledger", "entries", payment.id)).toHaveLength(3);
      const closed = await runCommand(
        ["ledger", "business-day", "2027-01-25", "--closed", ...modes],
        service.env,
      );
      expect(closed).toMatchObject({ code: 0, stdout: '{"day":"2027-01-25","business_day":"no"}\n' });
    },
  );

  test.runIf(isInFull())(
    "an endpoint is disabled, enabled, changed, rotated, asked to be sent what it missed, and deleted",
    async () => {
      const { id } = await json("webhooks", "create", "--url", receiver.url);
      expect(await json("webhooks", "disable", id)).toMatchObject({
        id,
        status: "disabled",
        events: ["all"],
      });
      const since = new Date(Date.now() - 1000).toISOString();
      const payment = await pay("failed");
      expect(await json("webhooks", "enable", id)).toMatchObject({ id, status: "enabled" });
      expect(await json("events", "resend", "--endpoint", id, "--failed-since", since)).toEqual({
        // Its payment, and the creation of its link.
        events: 2,
      });
      await receiver.until(1, ({ text }) => text.includes(payment.id));
      expect(await json("webhooks", "update", id, "--events", "link.expired")).toMatchObject({
        events: ["link.expired"],
      });
      const rotated = await json("webhooks", "rotate", id);
      expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
      expect(Date.parse(rotated.previous_secret_expires_at)).toBeGreaterThan(Date.now() + 86_000_000);
      const tested = await json("webhooks", "test", id);
      expect(tested).toEqual({
        event: expect.stringMatching(/^evt_/),
        delivery: expect.stringMatching(/^dlv_/),
      });
      const [received] = await receiver.until(1, ({ eventId }) => eventId === tested.event);
      expect(verified(received as never, rotated.secret)).toMatchObject({ type: "webhook.test", data: {} });
      await json("webhooks", "delete", id);
      expect((await json("webhooks", "list")).map((endpoint: { id: string }) => endpoint.id)).not.toContain(
        id,
      );
    },
  );

  test.each([
    [["webhooks", "create", "--url", "http://10.0.0.1/"], /public internet.*\(invalid_request\)/],
    [["webhooks", "create", "--url", "https://x.example.com", "--events", "nothing"], /--events/],
    [["webhooks", "disable", "we_01jd0000000000000000000000"], /webhook_endpoint_not_found/],
    [["events", "show", "evt_01jd0000000000000000000000"], /event_not_found/],
    [["events", "resend"], /either an event's id/],
    [["deliveries", "attempts", "dlv_x"], /delivery_not_found/],
  ])("%j is refused in one line, exit 1", async (args, message) => {
    const { code, stdout, stderr } = await runCommand([...args, ...own], service.env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

test("a tenant or a type that there is not is refused, with the option's name", async () => {
  const nowhere = ["--tenant", "ten_nope", "--mode", "test"];
  const { env } = service;
  for (const args of [
    ["listen"],
    ["webhooks", "create", "--url", receiver.url],
    ["ledger", "balance"],
    ["close", "seal", "2020-01-01"],
  ]) {
    const refused = await runCommand([...args, ...nowhere], env);
    expect({ args, ...refused }).toMatchObject({
      args,
      code: 1,
      stderr: "paylink: There is no such tenant. (tenant_not_found)\n",
    });
  }
  for (const args of [["listen"], ["events", "list"]]) {
    const refused = await runCommand([...args, ...own, "--type", "payment.paid"], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`paylink: --type must be one of ${DELIVERED_TYPES.join(", ")}, `);
  }
});

test("what a merchant wrote comes to the terminal without control characters, those of direction too", async () => {
  // Of C1, CSI begins what a terminal obeys; of direction, RLO turns around what follows.
  const reference = "order \u009b31m \u007f \u202egnp.exe\u202c \u2066x\u2069";
  const child = spawn(process.execPath, [MAIN, "listen", ...own, "--type", "payment.succeeded", "--json"], {
    env: { ...process.env, ...service.env },
  });
  let [printed, shownText] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (shownText += String(chunk)));
  await expect.poll(() => shownText, { timeout: 10_000 }).toContain("Listening.");
  const link = await post("/v1/payment_links", { amount: 15_990, currency: "BRL", reference });
  const payment = await post(`/v1/payment_links/${link.id}/simulate_payment`, { outcome: "succeeded" });
  await expect.poll(() => printed, { timeout: 10_000 }).toContain("\n");
  child.kill("SIGINT");
  await once(child, "exit");
  const listened = JSON.parse(printed);
  const [shown, listed, table] = await Promise.all([
    runCommand(["events", "show", listened.id, ...own], service.env),
    runCommand(["events", "list", "--object", payment.id, ...own, "--json"], service.env),
    runCommand(["events", "list", "--object", payment.id, ...own], service.env),
  ]);
  for (const output of [printed, shown.stdout, listed.stdout, table.stdout]) {
    expect(output).toContain(String.raw`order \u009b31m \u007f \u202egnp.exe\u202c \u2066x\u2069`);
    expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  }
  const [event] = JSON.parse(listed.stdout);
  expect([listened.reference, JSON.parse(shown.stdout).reference, event.reference]).toEqual(
    Array(3).fill(reference),
  );
});
