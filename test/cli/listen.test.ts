import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { receiverAddress } from "../../cli/commands/listen/receiver-address.ts";
import { forFile } from "../support/for-file.ts";
import { openGate } from "../support/gate.ts";
import { MAIN, startCommand, type Part } from "../support/part.ts";
import { runCommand, runProgram } from "../support/process.ts";
import { startReceiver, verified } from "../support/receiver.ts";
import { Served } from "./served.ts";

const PATIENCE = { timeout: 30_000 };

const on = await forFile(Served.start());
const gate = await forFile(openGate(Number(on.service.env["CORE_PORT"])));
let home: string;
let own: string[];
const listening: Part[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "paylink-home-"));
  const [demo] = JSON.parse(await readFile(join(on.dataDir, "demo-keys.json"), "utf8"));
  own = ["--tenant", demo.id];
});
afterEach(async () => {
  for (const part of listening.splice(0)) await part.end("SIGINT");
});
afterAll(async () => await rm(home, { recursive: true }));

/** The environment of a user with a home of their own. */
const env = () => ({ ...on.service.env, HOME: home, XDG_CONFIG_HOME: "" });

async function listen(args: string[], more: Record<string, string> = {}): Promise<Part> {
  const part = startCommand(["listen", ...own, "--mode", "test", ...args], { ...env(), ...more });
  listening.push(part);
  await expect.poll(part.output, PATIENCE).toContain("Listening.");
  return part;
}

const triggered = async (type: string, ...args: string[]) => await on.json("trigger", type, ...own, ...args);

test("what is forwarded is signed with one secret of the tenant on this machine, until it is renewed", async () => {
  const receiver = await startReceiver();
  const ofOutput = (part: Part): string => /signed with (whsec_\S+)/.exec(part.output())?.[1] ?? "";
  const first = await listen(["--forward-to", receiver.url.replace("http://", "")]);
  const secret = ofOutput(first);
  const succeeded = await triggered("payment.succeeded");
  const failed = await triggered("payment.failed", "--method", "card");
  const [one, two] = await receiver.until(2, ({ text }) => text.includes(`"type":"payment.`));
  expect(verified(one as never, secret)).toMatchObject({ id: succeeded.event, type: "payment.succeeded" });
  expect(verified(two as never, secret)).toMatchObject({ id: failed.event, type: "payment.failed" });
  await expect.poll(first.output, PATIENCE).toMatch(/payment\.failed {2}pay_\S+ {2}evt_\S+ {2}-> 200\n$/);
  await first.end("SIGINT");

  const again = await listen(["--forward-to", receiver.url]);
  expect(ofOutput(again)).toBe(secret);
  const folder = join(home, ".config", "paylink");
  const [name = "", ...others] = await readdir(folder);
  expect([others, (await stat(join(folder, name))).mode & 0o777]).toEqual([[], 0o600]);
  const printed = async (...args: string[]) =>
    (await runCommand(["listen", ...own, "--mode", "test", "--print-secret", ...args], env())).stdout.trim();
  expect(await printed()).toBe(secret);
  const renewed = await printed("--new-secret");
  expect(renewed).toMatch(/^whsec_/);
  expect(renewed).not.toBe(secret);
  expect(JSON.parse(await printed("--json"))).toEqual({ secret: renewed });
  await receiver.close();
});

test("a service that goes away is waited for, and each event is shown once", async () => {
  const part = await listen(["--json"], { CORE_PORT: String(gate.port) });
  const shown = (): string[] =>
    part
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type.startsWith("payment."))
      .map(({ id }) => id);
  const expected = [(await triggered("payment.succeeded")).event];
  await expect.poll(shown, PATIENCE).toEqual(expected);
  await gate.shut();
  await expect.poll(part.output, PATIENCE).toContain("The service does not answer");
  for (const type of ["payment.succeeded", "payment.failed"]) expected.push((await triggered(type)).event);
  await gate.open();
  await expect.poll(part.output, PATIENCE).toContain("The service answers again.");
  await expect.poll(shown, PATIENCE).toEqual(expected);
  // As after a machine slept: the connection is there, and nothing passes.
  gate.silence();
  expected.push((await triggered("payment.failed")).event);
  await expect.poll(shown, PATIENCE).toEqual(expected);
  expect(part.output().match(/does not answer/g)?.length).toBeLessThanOrEqual(2);
});

test("what the service refuses ends it, and so does a service that is not there at its start", async () => {
  const args = ["listen", "--mode", "test", "--tenant"];
  const unknown = await runCommand([...args, "ten_nope", "--forward-to", "3000"], env());
  expect(unknown).toEqual({
    code: 1,
    stdout: "",
    stderr: "paylink: There is no such tenant. (tenant_not_found)\n",
  });
  await gate.shut();
  const away = await runCommand([...args, own[1] ?? ""], { ...env(), CORE_PORT: String(gate.port) });
  expect(away).toMatchObject({ code: 1, stdout: "" });
  await gate.open();
});

test("trigger makes the event happen that an endpoint receives, of a link that really expires too", async () => {
  const receiver = await startReceiver();
  const { secret } = await on.json("webhooks", "create", ...own, "--mode", "test", "--url", receiver.url);
  for (const type of ["payment.succeeded", "payment.failed", "link.expired"]) {
    const { event, link, payment, ...rest } = await triggered(type, "--amount", "2500");
    expect(rest).toEqual({ type });
    const [received] = await receiver.until(1, ({ eventId }) => eventId === event);
    const { data } = verified(received as never, secret);
    const about =
      type === "link.expired"
        ? { payment_link: { id: link, amount: 2500, status: "expired" } }
        : { payment: { id: payment, link_id: link } };
    expect(data).toMatchObject(about);
  }
  const live = await on.paylink("trigger", "payment.succeeded", ...own, "--mode", "live");
  expect([live.code, live.stderr]).toEqual([1, expect.stringContaining("Allowed choices are test.")]);
  await receiver.close();
});

test.each([
  ["http://localhost:3000/hook", "http://localhost:3000/hook"],
  ["https://shop.example.com/hook?a=1", "https://shop.example.com/hook?a=1"],
  ["localhost:3000/hook", "http://localhost:3000/hook"],
  ["127.0.0.1:3000", "http://127.0.0.1:3000/"],
  ["[::1]:3000/hook", "http://[::1]:3000/hook"],
  ["3000", "http://localhost:3000/"],
  [":3000/hook", "http://localhost:3000/hook"],
])("--forward-to %s is %s", (text, address) => {
  expect(receiverAddress(text)).toBe(address);
});

test.each([
  ["shop.example.com/hook", "Write http:// or https:// before it"],
  ["localhost.example.com", "Write http:// or https:// before it"],
  ["ftp://localhost/hook", "It must begin with http:// or https://"],
  ["http://ana:secret@localhost:3000", "no user name and no password"],
  ["http://", "It must be an address"],
  ["localhost:99999", "It must be an address"],
  ["", "Write http:// or https:// before it"],
])("--forward-to %j is refused", (text, message) => {
  expect(() => receiverAddress(text)).toThrow(message);
});

test("listen ends quietly when the program that reads its output has ended", PATIENCE, async () => {
  const script = '"$@" | head -1; exit "${PIPESTATUS[0]}"';
  const args = [process.execPath, MAIN, "listen", ...own, "--mode", "test", "--json"];
  let hasEnded = false;
  const run = runProgram("bash", ["-c", script, "bash", ...args], env()).finally(() => (hasEnded = true));
  while (!hasEnded) await triggered("payment.succeeded");
  expect(await run).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\{.*\}\n$/),
    stderr: "Listening. Ctrl-C ends it.\n",
  });
});
