import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createConnectTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { runProgram, startProcess } from "../support/process.ts";
import { Users } from "../support/users.ts";
import { API_KEY, ExampleBank } from "./example/bank.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = "test/providers/example";
const TOKEN = "token-of-the-example-0123456789ab";
const WAIT = { timeout: 30_000, interval: 200 };
const LISTED = "const REGISTRATIONS: readonly Registration[] = [";

const bank = await forFile(ExampleBank.start());
const folder = await forFile(made(makeDataFolder()));

async function made(folderMade: ReturnType<typeof makeDataFolder>) {
  const { path, remove } = await folderMade;
  return { path, close: remove };
}

/** The checkout with the provider in its registry: what is not changed is linked. */
async function checkoutWithExample(): Promise<string> {
  const checkout = join(folder.path, "checkout");
  await mkdir(join(checkout, "test", "providers"), { recursive: true });
  for (const name of readdirSync(ROOT).filter((one) => !["src", "cli", "test", ".git"].includes(one))) {
    await symlink(join(ROOT, name), join(checkout, name));
  }
  // A linked file finds those beside the file itself.
  for (const copied of ["src", "cli", EXAMPLE]) {
    await cp(join(ROOT, copied), join(checkout, copied), { recursive: true, verbatimSymlinks: true });
  }
  const registry = join(checkout, "src", "providers", "registry.ts");
  const source = await readFile(registry, "utf8");
  expect(source).toContain(LISTED);
  const entry = `import { example } from "../../${EXAMPLE}/registration.ts";\n`;
  await writeFile(registry, entry + source.replace(LISTED, `${LISTED}example, `));
  return checkout;
}

const main = join(await checkoutWithExample(), "cli", "main.ts");
const { env, baseUrl, end } = await startProcess(
  join(folder.path, "data"),
  { CORE_TOKEN, PROVIDER_ALLOW_LOOPBACK: "true", CONSOLE_ALLOW_HTTP: "true" },
  "all",
  [],
  main,
);
await forFile(Promise.resolve({ close: async () => void (await end("SIGTERM")) }));

/** What a command prints, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any
async function paylink(...args: string[]): Promise<any> {
  const { stdout, stderr } = await runProgram(process.execPath, [main, ...args, "--json"], env);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

/** An answer of the REST API. */
// oxlint-disable-next-line typescript/no-explicit-any
async function api(key: string, method: string, path: string, body?: object): Promise<any> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID(),
  };
  const init = body ? { body: JSON.stringify(body) } : {};
  const answer = await fetch(`${baseUrl}/v1/${path}`, { method, headers, ...init });
  return await answer.json();
}

/** What the console shows an owner. */
async function consolePages(tenant: string): Promise<(path: string) => Promise<string>> {
  const transport = createConnectTransport({
    baseUrl: `http://127.0.0.1:${env["CORE_PORT"]}`,
    httpVersion: "2",
  });
  const users = new Users({
    core: { transport },
    internal: { headers: { authorization: `Bearer ${CORE_TOKEN}` } },
    clock: { nowMs: () => Date.now(), advance: () => undefined },
  });
  const { token } = await users.join(tenant);
  return async (path) => {
    const headers = { cookie: `paylink_session=${token}` };
    return await (await fetch(`${baseUrl}/console/live${path}`, { headers })).text();
  };
}

test("a provider of one entry in the registry is stored, shown, charged, called back, refunded and swept", async () => {
  const shop = ["--name", "Shop", "--payout-currency", "BRL", "--methods", "pix"];
  const { id: tenant } = await paylink("tenants", "create", ...shop);
  // The command line stores it, and its callbacks are registered.
  const config = join(folder.path, "example.json");
  const settings = { key: API_KEY, callback: { token: TOKEN }, base_url: bank.baseUrl };
  await writeFile(config, JSON.stringify(settings));
  const put = ["put", "--tenant", tenant, "--mode", "live", "--kind", "pix", "--profile", "example"];
  const { id: account } = await paylink("providers", ...put, "--config", config);
  const verified = await paylink("providers", "verify", account, "--register");
  expect(verified).toMatchObject({ accepted: "yes", callback_registered: "yes" });

  // The console shows its form and its account.
  const page = await consolePages(tenant);
  expect(await page("/providers/new")).toContain("/providers/new/pix/example");
  const form = await page("/providers/new/pix/example");
  for (const text of ["Chave do exemplo", "Token dos avisos do exemplo"]) expect(form).toContain(text);
  expect(await page(`/providers/${account}`)).toContain("example");

  // A payer is charged through it, and its callback moves the payment. One without the secret is refused.
  const { key } = await paylink("keys", "create", "--tenant", tenant, "--mode", "live");
  const link = await api(key, "POST", "payment_links", { amount: 15_990, currency: "BRL" });
  const reference = await startPix(link.id);
  const paid = bank.pay(reference);
  expect(await bank.callBack(reference, "wrong")).toBe(403);
  expect(await bank.callBack(reference)).toBe(200);
  const day = dayAt(Date.now()).toString();
  const paymentsOf = async () => (await api(key, "GET", `payments?from=${day}&to=${day}`)).data ?? [];
  await expect.poll(async () => (await paymentsOf())[0]?.status, WAIT).toBe("succeeded");
  const [{ id: payment, amount }] = await paymentsOf();
  expect(amount).toBe(paid.amount);

  // It is refunded at the provider.
  await api(key, "POST", `payments/${payment}/refunds`, { reason: "test" });
  const refund = async () => (await api(key, "GET", `payments/${payment}/refunds`)).data?.[0]?.status;
  await expect.poll(refund, WAIT).toBe("succeeded");
  expect(paid.refunds.map((one) => one.amount)).toEqual([paid.amount]);

  // Its statement brings money that no callback named.
  const paidAt = Date.now() - 600_000;
  bank.payments.push({ ...paid, id: "money-of-nobody", reference: "of-nobody", paidAt, refunds: [] });
  expect(await paylink("providers", "sweep", account)).toMatchObject({ money: 1, unknown: 1 });
  const unknown = await paylink("providers", "unknown", "--tenant", tenant, "--mode", "live");
  expect(unknown).toMatchObject([{ account, end_to_end_id: "money-of-nobody", amount: paid.amount }]);
});

/** Opens a link as a payer and chooses PIX. Returns the reference of the charge at the bank. */
async function startPix(link: string): Promise<string> {
  const send = async (path: string, fields: Record<string, string>) =>
    await fetch(baseUrl + path, {
      method: "POST",
      headers: { origin: baseUrl, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
      redirect: "manual",
    });
  const opened = await send(`/pay/${link}/sessions`, {});
  const session = new URL(opened.headers.get("location") ?? "", baseUrl).pathname;
  await send(`${session}/payments`, { way: "pix-1" });
  await expect.poll(() => bank.references.length, WAIT).toBe(1);
  return bank.references[0] ?? "";
}
