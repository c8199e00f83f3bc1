import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { runCommand, startProcess, type ServiceProcess } from "../support/process.ts";

let dataDir: string;
let remove: () => Promise<void>;
let service: ServiceProcess;
beforeAll(async () => {
  ({ path: dataDir, remove } = await makeDataFolder());
  service = await startProcess(dataDir);
});
afterAll(async () => {
  await service.end("SIGTERM");
  await remove();
});

async function paylink(...args: string[]) {
  return await runCommand(args, service.env);
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await paylink(...args, "--json");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(stdout);
}

describe("npm start", () => {
  test("prints for each demo tenant both keys and a curl line that works when pasted", async () => {
    const kept = JSON.parse(await readFile(join(dataDir, "demo-keys.json"), "utf8"));
    expect(kept.map((tenant: { payout_currency: string }) => tenant.payout_currency)).toEqual(["BRL", "USD"]);
    const lines = service.output().match(/curl .*/g) ?? [];
    expect(lines).toHaveLength(2);
    for (const [index, line] of lines.entries()) {
      expect(service.output()).toContain(kept[index].live_key);
      const { stdout } = await promisify(execFile)("sh", ["-c", line]);
      expect(JSON.parse(stdout)).toMatchObject({ tenant_id: kept[index].id, payer_total: 15_990 });
    }
  });

  test("keeps keys and core token readable by their owner alone", async () => {
    for (const name of ["demo-keys.json", "core-token", "data-key"]) {
      expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  test("a second start on the same data prints the same keys, does not seed again, and SIGTERM exits 0", async () => {
    const linkOf = (text: string) => /console {3}(http\S+)/.exec(text)?.[1] ?? "";
    const link = linkOf(service.output());
    const keysOf = (text: string) => text.match(/svc_(test|live)_[\w-]{43}/g);
    const first = keysOf(service.output());
    expect(first).toHaveLength(6);
    const tenants = await json("tenants", "list");
    expect(await service.end("SIGTERM")).toBe(0);
    // Without the key that the database was first started with, a start makes no other one.
    const key = join(dataDir, "data-key");
    await rename(key, `${key}.away`);
    await expect(startProcess(dataDir)).rejects.toThrow(/data-key is not there: bring it back/);
    await expect(stat(key)).rejects.toThrow("ENOENT");
    await rename(`${key}.away`, key);
    const startedAt = performance.now();
    service = await startProcess(dataDir);
    // Alone on the machine it takes 1.4 s.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await json("tenants", "list")).toEqual(tenants);
    await expect.poll(() => keysOf(service.output())).toEqual(first);
    expect(link).toMatch(/\/console\/invitations\/[\w-]{43}$/);
    expect(linkOf(service.output()).replace(/^.*\/console/, "")).toBe(link.replace(/^.*\/console/, ""));
    expect((await fetch(linkOf(service.output()))).status).toBe(200);
  });

  test("its console is for this machine: cookies go over http", async () => {
    const { headers } = await fetch(`${service.baseUrl}/console/signin`);
    expect(headers.get("set-cookie")).toMatch(/^paylink_form=(?!.*Secure)/);
  });

  test.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["CORE_PORT", "-1"],
    ["PUBLIC_URL", "ftp://x"],
    ["DATABASE_URL", "mysql://x"],
    ["PAYLINK_SEED", "yes"],
    ["LOG_LEVEL", "loud"],
    ["METRICS_PORT", "-1"],
    ["DATABASE_TIMEOUT_MS", "999"],
    ["DRAIN_DELAY_MS", "1s"],
    ["DRAIN_TIMEOUT_MS", "-1"],
    ["CORE_TOKEN", "short"],
    ["DATA_KEY", "c2hvcnQ="],
    ["WEBHOOK_ALLOW_LOOPBACK", "yes"],
    ["CONSOLE_ALLOW_HTTP", "yes"],
    ["RATE_LIMIT_KEY_PER_SECOND", "0"],
  ])("a wrong variable (%s=%s) is one clear line and exit 1", async (name, value) => {
    const { code, stdout, stderr } = await runCommand(["serve"], { ...service.env, [name]: value });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^paylink: ${name} must .*\n$`));
  });
});

describe("paylink", () => {
  test("tenants and keys: create, list, use, revoke", async () => {
    const tenant = await json(
      "tenants",
      "create",
      "--name",
      "Shop",
      "--payout-currency",
      "BRL",
      "--methods",
      "pix",
    );
    expect(tenant).toEqual({
      id: expect.stringMatching(/^ten_/),
      legal_entity_id: expect.stringMatching(/^le_/),
    });
    const made = await json(
      "keys",
      "create",
      "--tenant",
      tenant.id,
      "--mode",
      "test",
      "--scopes",
      "quotes:write",
    );
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^svc_test_[\w-]{43}$/),
      scopes: ["quotes:write"],
    });
    const quote = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${made.key}`, "content-type": "application/json" };
      const body = JSON.stringify({ amount: 1000, currency: "BRL", payment_method: "pix" });
      const key = { "idempotency-key": crypto.randomUUID() };
      const url = `${service.baseUrl}/v1/quotes`;
      return (await fetch(url, { method: "POST", headers: { ...headers, ...key }, body })).status;
    };
    expect(await quote()).toBe(201);
    const [listed] = await json("keys", "list", "--tenant", tenant.id);
    expect(listed).toMatchObject({ id: made.id, mode: "test", revoked_at: null });
    expect(JSON.stringify(listed)).not.toContain(made.key);
    expect((await paylink("keys", "revoke", made.id)).code).toBe(0);
    expect(await quote()).toBe(401);
  });

  test("users: invite, list, and an error for an unknown address", async () => {
    const { id: tenant } = await json("tenants", "create", "--name", "People", "--payout-currency", "BRL");
    const invited = await json("users", "invite", "--tenant", tenant, "--email", "Ana@example.test");
    expect(invited).toEqual({
      id: expect.stringMatching(/^inv_/),
      link: expect.stringMatching(/^http.*\/console\/invitations\/[\w-]{43}$/),
      expires_at: expect.any(String),
    });
    expect((await fetch(invited.link)).status).toBe(200);
    expect(await json("users", "list", "--tenant", tenant)).toMatchObject([
      { id: invited.id, email: "ana@example.test", name: "(invited)", role: "owner" },
    ]);
    const removed = await paylink("users", "remove", "ana@example.test", "--tenant", tenant);
    expect([removed.code, removed.stderr]).toEqual([
      1,
      `paylink: No user of ${tenant} has the address ana@example.test.\n`,
    ]);
    const reset = await paylink("users", "reset", "usr_nobody", "--tenant", tenant);
    expect([reset.code, reset.stderr]).toEqual([1, "paylink: There is no such member. (member_not_found)\n"]);
  });

  test("rules, rates and policies take effect from the next quote on", async () => {
    const { id } = await json("tenants", "create", "--name", "Own rules", "--payout-currency", "USD");
    const { key } = await json("keys", "create", "--tenant", id, "--mode", "test");
    const rule = ["--percent-ppm", "0", "--fixed", "7", "--min", "0"];
    const where = ["--tenant", id, "--mode", "test"];
    const put = await json("rules", "put", ...where, "--method", "pix", "--currency", "USD", ...rule);
    expect(put).toEqual({ rule_id: expect.stringMatching(/^rul_/) });
    const rules = await json("rules", "list", ...where);
    expect(rules.map(({ method, currency }: Record<string, string>) => `${method} ${currency}`)).toEqual(
      expect.arrayContaining(["pix BRL", "pix USD", "card BRL"]),
    );
    expect(rules.find(({ id: rule_id }: Record<string, string>) => rule_id === put.rule_id)).toMatchObject({
      tenant: id,
      method: "pix",
      currency: "USD",
      percent_ppm: 0,
      fixed: 7,
      min: 0,
      max: null,
      default_fee_handling: "absorb",
    });
    const shared = await json("rules", "list", "--tenant", "default", "--mode", "test");
    expect(shared.every(({ tenant }: Record<string, string>) => tenant === "default")).toBe(true);
    await json("fx", "policy", ...where, "--coverage-ppm", "0", "--iof-ppm", "35000", "--iof-enabled");
    await json("fx", "publish", "--mode", "test", "--spot", "6.000000", "--max-age", "60");
    expect(await json("fx", "show", ...where)).toMatchObject({
      public_rate: "6.000000",
      spot: "6.000000",
      max_age: 60,
      policy_tenant: id,
      coverage_ppm: 0,
      iof_ppm: 35_000,
      iof_enabled: "yes",
    });
    expect(await json("fx", "show", "--mode", "test")).toMatchObject({
      spot: "6.000000",
      policy_tenant: "default",
    });
    const response = await fetch(`${service.baseUrl}/v1/quotes`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "1" },
      body: JSON.stringify({
        amount: 1000,
        currency: "USD",
        payment_method: "pix",
        fee_handling: "pass_through",
      }),
    });
    expect(await response.json()).toMatchObject({
      payer_total: 6252,
      receiver_net: 1000,
      rule_id: put.rule_id,
      fx: { rate: 6 },
      breakdown: {
        total_fee: { amount: 42, currency: "USD" },
        tax: { iof_amount_cents: 35, iof_enabled: true },
      },
    });
  });

  test("without --json it prints something made for eyes", async () => {
    const { stdout } = await paylink("tenants", "list");
    expect(stdout).toMatch(/^id +name +payment_methods/);
  });

  test("errors are on stderr with exit 1", async () => {
    const unknown = await paylink("keys", "list", "--tenant", "ten_nobody", "--json");
    expect(unknown).toEqual({
      code: 1,
      stdout: "",
      stderr: "paylink: There is no such tenant. (tenant_not_found)\n",
    });
    const refused = await runCommand(["tenants", "list"], {
      ...service.env,
      CORE_TOKEN: "another-token-of-nobody",
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("core token");
    const rule = ["--method", "pix", "--currency", "BRL", "--percent-ppm", "1", "--fixed", "0", "--min", "5"];
    const bad = await paylink("rules", "put", "--tenant", "default", "--mode", "test", ...rule, "--max", "4");
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toBe("paylink: --max must not be less than min. (invalid_request)\n");
    const percent = [
      "--method",
      "pix",
      "--currency",
      "BRL",
      "--percent-ppm",
      "500001",
      "--fixed",
      "0",
      "--min",
      "5",
    ];
    const high = await paylink("rules", "put", "--tenant", "default", "--mode", "test", ...percent);
    expect(high.stderr).toBe("paylink: --percent-ppm must be 0 to 500000. (invalid_request)\n");
    const fx = await paylink("fx", "publish", "--mode", "test", "--spot", "1000000");
    expect(fx.stderr).toContain("It must be BRL per USD, 0.01 to 1000, with at most 6 decimals.");
  });
});
