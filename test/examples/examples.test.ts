import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase } from "../support/database.ts";
import {
  freePorts,
  runCommand,
  runProgram,
  startProcess,
  type CommandResult,
  type ServiceProcess,
} from "../support/process.ts";

const examples = join(import.meta.dirname, "..", "..", "examples");
const merchant = join(examples, "merchant-typescript", "main.ts");
const curlMerchant = join(examples, "merchant-curl", "merchant.sh");
const lostWebhooks = join(examples, "merchant-curl", "lost-webhooks.sh");
const internal = join(examples, "internal-grpc", "main.ts");
const internalPython = join(examples, "internal-python", "main.py");
const PYTHON = "/usr/bin/python3";
const hasPython =
  spawnSync("protoc", ["--version"]).status === 0 && spawnSync(PYTHON, ["-c", "import grpc"]).status === 0;
const GO_PACKAGES = "/usr/share/gocode";
const hasGo =
  spawnSync("protoc-gen-go-grpc", ["--version"]).status === 0 &&
  existsSync(join(GO_PACKAGES, "src", "google.golang.org", "grpc"));
const PRICE = 15_990;
// Fewer and the next page is never asked for.
const MORE_THAN_A_PAGE = 101;

let service: ServiceProcess;
let variables: Record<string, string>;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = await makeDataFolder();
  const database = await cloneDatabase();
  service = await startProcess(folder.path, {
    DATABASE_URL: database.url,
    PAYLINK_SEED: "demo",
    WEBHOOK_ALLOW_LOOPBACK: "true",
  });
  undo.push(() => service.end("SIGTERM"), folder.remove);
  const [{ id, test_key: key }] = JSON.parse(await readFile(join(folder.path, "demo-keys.json"), "utf8"));
  const [shopPort] = await freePorts(1);
  const to = ["--tenant", id, "--mode", "test", "--url", `http://localhost:${shopPort}/hook`, "--json"];
  const endpoint = await runCommand(["webhooks", "create", ...to], service.env);
  variables = {
    ...service.env,
    PAYLINK_URL: service.baseUrl,
    KEY: key,
    TENANT: id,
    SHOP_PORT: String(shopPort),
    WEBHOOK_SECRET: JSON.parse(endpoint.stdout).secret,
    CORE_URL: `http://localhost:${service.env["CORE_PORT"]}`,
  };
});
afterAll(async () => {
  for (const step of undo) await step();
});

async function run(
  file: string,
  env: Record<string, string> = {},
  given: readonly string[] = [],
): Promise<CommandResult> {
  const [, end = ""] = /\.(\w+)$/.exec(file) ?? [];
  const program = { sh: "bash", py: PYTHON }[end] ?? process.execPath;
  return await runProgram(program, [file, ...given], { ...variables, ...env });
}

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${variables["KEY"]}`, "content-type": "application/json" };
  const init = { method: "POST", headers: { ...headers, "idempotency-key": crypto.randomUUID() } };
  const response = await fetch(service.baseUrl + path, { ...init, body: JSON.stringify(body) });
  return (await response.json()) as { id: string };
}

async function get(path: string) {
  const headers = { authorization: `Bearer ${variables["KEY"]}` };
  return await (await fetch(`${service.baseUrl}${path}`, { headers })).json();
}

const formerName = (address: string, program = "internal"): string =>
  `${program}: CORE_ADDRESS is the former name of CORE_URL: set CORE_URL=http://${address} in its place.\n`;

const paymentIn = ({ stdout }: CommandResult): string => /pay_\w+/.exec(stdout)?.[0] ?? "";

describe("examples", () => {
  test("the TypeScript merchant goes from a quote to a closed day", async () => {
    const ran = await run(merchant);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^quote {5}qt_\w+: the payer pays 159\.90 BRL,\n/);
    expect(ran.stdout).toContain(`link      ${service.baseUrl}/pay/pl_`);
    expect(ran.stdout).toContain(`webhook   payment.succeeded, ${paymentIn(ran)}\n`);
    expect(ran.stdout).toMatch(/every order of this shop is found, at its price\n$/);
    expect(await get(`/v1/payments/${paymentIn(ran)}`)).toMatchObject({
      status: "succeeded",
      gross_amount: PRICE,
      reference: expect.stringMatching(/^order-/),
    });
    const own = ["--tenant", variables["TENANT"] ?? "", "--mode", "test", "--json"];
    const events = await runCommand(["events", "list", "--object", paymentIn(ran), ...own], service.env);
    const [{ id }] = JSON.parse(events.stdout);
    const delivered = async () =>
      JSON.parse((await runCommand(["deliveries", "list", "--event", id, ...own], service.env)).stdout);
    // It may end a moment before the service has noted the answer.
    await expect
      .poll(delivered, { timeout: 10_000 })
      .toMatchObject([{ status: "succeeded", attempts: 1, last_status_code: 200 }]);
  });

  test("the curl merchant and the internal client read every page", async () => {
    const link = await post("/v1/payment_links", { amount: PRICE, currency: "BRL", campaign: true });
    const before = Number(/payments {2}(\d+)/.exec((await run(internal)).stdout)?.[1]);
    for (let count = before; count < MORE_THAN_A_PAGE; count += 1) {
      await post(`/v1/payment_links/${link.id}/simulate_payment`, { outcome: "succeeded" });
    }
    const count = MORE_THAN_A_PAGE + 1;
    const ran = await run(curlMerchant);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`link     ${service.baseUrl}/pay/pl_`);
    expect(ran.stdout).toContain(`payment  ${paymentIn(ran)}: succeeded, ${PRICE} centavos\n`);
    expect(ran.stdout).toContain(`: ${count} succeeded, ${count * PRICE} centavos paid\n`);
    expect(await get(`/v1/payments/${paymentIn(ran)}`)).toMatchObject({
      status: "succeeded",
      gross_amount: PRICE,
    });

    const inside = await run(internal);
    expect(inside).toMatchObject({ code: 0, stderr: "" });
    expect(inside.stdout).toContain(`payments  ${count}\n          ${count * PRICE} BRL succeeded\n`);
    expect(inside.stdout).toContain("unknown   payment_not_found\n");
    expect(inside.stdout).toContain(`balance   provider_clearing BRL: debit ${count * PRICE}, credit 0\n`);
    expect(inside.stdout).toMatch(/debits equal credits\n$/);
  });

  test("a shop that lost every webhook finds the payment of an order and refunds it, once", async () => {
    const link = await post("/v1/payment_links", { amount: PRICE, currency: "BRL", reference: "A-17" });
    const simulate = async (outcome: string) =>
      await post(`/v1/payment_links/${link.id}/simulate_payment`, { outcome });
    await simulate("failed");
    const { id } = await simulate("succeeded");
    for (let time = 0; time < 2; time += 1) {
      const ran = await run(lostWebhooks, {}, ["A-17"]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(ran.stdout).toMatch(
        new RegExp(`^payment  ${id}\nrefund   ref_\\w+: succeeded, ${PRICE} centavos\n$`),
      );
    }
    expect(await get(`/v1/payments/${id}`)).toMatchObject({ refunded_amount: PRICE });
    expect(await run(lostWebhooks, {}, ["A-18"])).toEqual({
      code: 1,
      stdout: "payment  none\n",
      stderr: "lost-webhooks: no payment of A-18 has succeeded\n",
    });
  });

  test.skipIf(!hasPython)("the Python client, made by stock protoc, reads the same", async () => {
    const folder = await makeDataFolder();
    const GEN = join(folder.path, "gen");
    const made = await run(join(examples, "internal-python", "generate.sh"), { GEN });
    expect(made).toEqual({ code: 0, stdout: "", stderr: "" });
    const [inPython, inNode] = [await run(internalPython, { GEN }), await run(internal)];
    expect(inPython).toMatchObject({ code: 0, stderr: "" });
    expect(inPython.stdout).toBe(inNode.stdout);
    const refused = await run(internalPython, { GEN, CORE_TOKEN: "a-token-of-no-team" });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^internal: UNAUTHENTICATED: .* \(invalid_core_token\)\n$/);
    const CORE_ADDRESS = `localhost:${service.env["CORE_PORT"]}`;
    const former = await run(internalPython, { GEN, CORE_URL: "", CORE_ADDRESS });
    expect(former).toMatchObject({ code: 0, stdout: inNode.stdout, stderr: formerName(CORE_ADDRESS) });
    await folder.remove();
  });

  test("CORE_ADDRESS, the former name of CORE_URL, works with a warning where CORE_URL is not set", async () => {
    const CORE_ADDRESS = `localhost:${service.env["CORE_PORT"]}`;
    const former = await run(internal, { CORE_URL: "", CORE_ADDRESS });
    expect(former).toMatchObject({ code: 0, stderr: formerName(CORE_ADDRESS) });
    expect(former.stdout).toMatch(/debits equal credits\n$/);
    expect(await run(internal, { CORE_ADDRESS: "127.0.0.1:1" })).toMatchObject({ code: 0, stderr: "" });

    // The command line, which the service's own CORE_PORT would lead to the core as well.
    const env = { ...service.env, CORE_PORT: "1", CORE_ADDRESS };
    const listed = await runCommand(["tenants", "list", "--json"], env);
    expect(listed).toMatchObject({ code: 0, stderr: formerName(CORE_ADDRESS, "paylink") });
    expect(JSON.parse(listed.stdout)).not.toEqual([]);
  });

  test.skipIf(!hasGo)("the Go client's packages are made by stock protoc, and compile", async () => {
    const folder = await makeDataFolder();
    const books = join(folder.path, "src", "example.com", "books");
    const made = await run(join(examples, "internal-go", "generate.sh"), { GEN: join(books, "gen") });
    expect(made).toEqual({ code: 0, stdout: "", stderr: "" });
    // As Debian has Go's packages, without modules.
    const env = { GO111MODULE: "off", GOPATH: `${folder.path}:${GO_PACKAGES}` };
    const built = await runProgram("go", ["build", "example.com/books/gen/paylink/..."], env);
    expect(built).toEqual({ code: 0, stdout: "", stderr: "" });
    await folder.remove();
  });

  const none = "http://127.0.0.1:1";
  test.each([
    ["a wrong key", merchant, { KEY: "svc_test_wrong" }, /^merchant: invalid_api_key: .* \(req_\w+\)\n$/],
    ["a wrong key", curlMerchant, { KEY: "svc_test_wrong" }, /^merchant: .* 401: .*invalid_api_key/],
    ["a wrong token", internal, { CORE_TOKEN: "a-token-of-nobody" }, /^internal: UNAUTHENTICATED: .*\n$/],
    ["no key", merchant, { KEY: "" }, /^merchant: KEY must be set; see examples\/README\.md\.\n$/],
    ["no key", curlMerchant, { KEY: "" }, /KEY: must be set/],
    [
      "no service",
      merchant,
      { PAYLINK_URL: none },
      /^merchant: No answer came from http:\/\/127\.0\.0\.1:1 in 4 tries\.\n$/,
    ],
    ["no core", internal, { CORE_URL: none }, /^internal: UNAVAILABLE: /],
  ])("%s is one clear line and exit 1: %s", async (_what, file, env, line) => {
    const { code, stdout, stderr } = await run(file, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(line);
  });

  test("a webhook with a foreign signature changes nothing, and the shop names what it waited for", async () => {
    // The secret of another endpoint: what the service sends does not verify, and is answered 400.
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const env = { WEBHOOK_SECRET: secret, WEBHOOK_SECONDS_MAX: "2" };
    const { code, stdout, stderr } = await run(merchant, env);
    expect(code).toBe(1);
    expect(stdout).not.toContain("webhook");
    expect(stderr).toBe("merchant: no webhook came in 2 s: does an endpoint lead here?\n");
  });
});
