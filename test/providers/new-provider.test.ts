import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { freePorts, runProgram } from "../support/process.ts";
import { startCommand } from "../support/part.ts";
import { API_KEY, ExampleBank } from "./example/bank.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = "test/providers/example";
const TOKEN = "token-of-the-example-0123456789ab";
const WAIT = { timeout: 30_000, interval: 200 };
// Registrations are what it has, whatever they are called.
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

let paylink: (...args: string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>;
let baseUrl = "";
beforeAll(async () => {
  const main = join(await checkoutWithExample(), "cli", "main.ts");
  const [port, corePort, metricsPort] = await freePorts(3);
  const env = {
    PORT: String(port),
    CORE_PORT: String(corePort),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: join(folder.path, "data"),
    PROVIDER_ALLOW_LOOPBACK: "true",
    CONSOLE_ALLOW_HTTP: "true",
  };
  baseUrl = `http://127.0.0.1:${port}`;
  const service = startCommand(["serve"], env, main);
  await forFile(Promise.resolve({ close: async () => void (await service.end("SIGTERM")) }));
  const isReady = async () =>
    (await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => undefined))?.ok ?? service.output();
  await expect.poll(isReady, { timeout: 75_000, interval: 100 }).toBe(true);
  paylink = async (...args) => await runProgram(process.execPath, [main, ...args], env);
});

const printed = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await paylink(...args);
  expect(stderr).toBe("");
  return stdout.trim();
};

test("a provider of one entry in the registry is stored, shown, charged, called back, refunded and swept", async () => {
  const tenant = await printed("demo", "tenant");
  const config = join(folder.path, "example.json");
  const settings = { key: API_KEY, callback: { token: TOKEN }, base_url: bank.baseUrl };
  await writeFile(config, JSON.stringify(settings));
  const put = ["put", "--tenant", tenant, "--mode", "live", "--kind", "pix", "--profile", "example"];
  const stored = JSON.parse(await printed("providers", ...put, "--config", config, "--json")) as {
    id: string;
  };
  expect(JSON.parse(await printed("providers", "verify", stored.id, "--register", "--json"))).toMatchObject({
    accepted: "yes",
    callback_registered: "yes",
  });
});
