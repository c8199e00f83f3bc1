import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { MAIN } from "../support/part.ts";
import { runCommand, runProgram } from "../support/process.ts";
import { Served } from "./served.ts";

const on = await forFile(Served.start());

/** Runs a command whose output goes to a program that does not read all of it. */
async function readInPart(pipe: string, ...args: string[]) {
  const script = `set -o pipefail; "$@" ${pipe}`;
  return await runProgram("bash", ["-c", script, "bash", process.execPath, MAIN, ...args], on.service.env);
}

test.each(["| true", "| head -1", "2>&1 | true"])(
  "a command ends quietly with its own exit code, %s",
  async (pipe) => {
    for (const args of [["--help"], ["doctor"], ["tenants", "list"], ["tenants", "list", "--json"]]) {
      expect(await readInPart(pipe, ...args)).toMatchObject({ code: 0, stderr: "" });
    }
    const { code, stderr } = await readInPart(
      pipe,
      "keys",
      "list",
      "--tenant",
      "ten_00000000000000000000000000",
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(pipe.startsWith("2>&1") ? /^$/ : /^paylink: .*\n$/);
  },
);

describe("paylink", () => {
  test("tenants and keys: create, list, use, revoke", async () => {
    const tenant = await on.json(
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
      missing: [{ mode: "live", missing: "account at a payment provider", command: expect.any(String) }],
    });
    const made = await on.json(
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
      const url = `${on.service.baseUrl}/v1/quotes`;
      return (await fetch(url, { method: "POST", headers: { ...headers, ...key }, body })).status;
    };
    expect(await quote()).toBe(201);
    const [listed] = await on.json("keys", "list", "--tenant", tenant.id);
    expect(listed).toMatchObject({ id: made.id, mode: "test", revoked_at: null });
    expect(JSON.stringify(listed)).not.toContain(made.key);
    expect((await on.paylink("keys", "revoke", made.id)).code).toBe(0);
    expect(await quote()).toBe(401);
  });

  test("one-time links begin with the service's PUBLIC_URL, whatever the command's own variables are", async () => {
    const tenant = (await on.json("tenants", "list"))[0].id;
    const { CORE_PORT = "", DATA_DIR = "" } = on.service.env;
    const run = async (...args: string[]) => {
      const env = { CORE_PORT, DATA_DIR, PUBLIC_URL: "https://other.example" };
      return JSON.parse((await runCommand([...args, "--tenant", tenant, "--json"], env)).stdout);
    };
    const invited = await run("users", "invite", "--email", "bob@example.test");
    const prefix = `${on.service.baseUrl}/console/invitations/`;
    expect(invited.link.slice(0, prefix.length)).toBe(prefix);
    expect((await fetch(invited.link)).status).toBe(200);
  });

  test("users: invite, list, and an error for an unknown address", async () => {
    const { id: tenant } = await on.json("tenants", "create", "--name", "People", "--payout-currency", "BRL");
    const invited = await on.json("users", "invite", "--tenant", tenant, "--email", "Ana@example.test");
    expect(invited).toEqual({
      id: expect.stringMatching(/^inv_/),
      link: expect.stringMatching(/^http.*\/console\/invitations\/[\w-]{43}$/),
      expires_at: expect.any(String),
    });
    expect((await fetch(invited.link)).status).toBe(200);
    expect(await on.json("users", "list", "--tenant", tenant)).toMatchObject([
      { id: invited.id, email: "ana@example.test", name: "(invited)", role: "owner" },
    ]);
    const removed = await on.paylink("users", "remove", "ana@example.test", "--tenant", tenant);
    expect([removed.code, removed.stderr]).toEqual([
      1,
      `paylink: No user of ${tenant} has the address ana@example.test.\n`,
    ]);
    const reset = await on.paylink("users", "reset", "usr_nobody", "--tenant", tenant);
    expect([reset.code, reset.stderr]).toEqual([1, "paylink: There is no such member. (member_not_found)\n"]);
  });

  test("rules, rates and policies take effect from the next quote on", async () => {
    const { id } = await on.json("tenants", "create", "--name", "Own rules", "--payout-currency", "USD");
    const { key } = await on.json("keys", "create", "--tenant", id, "--mode", "test");
    const rule = ["--percent-ppm", "0", "--fixed", "7", "--min", "0"];
    const where = ["--tenant", id, "--mode", "test"];
    const put = await on.json("rules", "put", ...where, "--method", "pix", "--currency", "USD", ...rule);
    expect(put).toEqual({ rule_id: expect.stringMatching(/^rul_/) });
    const rules = await on.json("rules", "list", ...where);
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
    const shared = await on.json("rules", "list", "--tenant", "default", "--mode", "test");
    expect(shared.every(({ tenant }: Record<string, string>) => tenant === "default")).toBe(true);
    await on.json("fx", "policy", ...where, "--coverage-ppm", "0", "--iof-ppm", "35000", "--iof-enabled");
    await on.json("fx", "publish", "--mode", "test", "--spot", "6.000000", "--max-age", "60");
    expect(await on.json("fx", "show", ...where)).toMatchObject({
      public_rate: "6.000000",
      spot: "6.000000",
      max_age: 60,
      policy_tenant: id,
      coverage_ppm: 0,
      iof_ppm: 35_000,
      iof_enabled: "yes",
    });
    expect(await on.json("fx", "show", "--mode", "test")).toMatchObject({
      spot: "6.000000",
      policy_tenant: "default",
    });
    const response = await fetch(`${on.service.baseUrl}/v1/quotes`, {
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
    const { stdout } = await on.paylink("tenants", "list");
    expect(stdout).toMatch(/^id +name +payout_currencies +payment_methods/);
    expect(stdout).toMatch(/^ten_\w{26} +Demo BRL +BRL +pix,card,ted /m);
    expect(stdout).toMatch(/^ten_\w{26} +Demo USD +USD +pix,card,ted /m);
  });

  test("errors are on stderr with exit 1", async () => {
    const unknown = await on.paylink("keys", "list", "--tenant", "ten_nobody", "--json");
    expect(unknown).toEqual({
      code: 1,
      stdout: "",
      stderr: "paylink: There is no such tenant. (tenant_not_found)\n",
    });
    const refused = await runCommand(["tenants", "list"], {
      ...on.service.env,
      CORE_TOKEN: "another-token-of-nobody",
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("core token");
    const rule = ["--method", "pix", "--currency", "BRL", "--percent-ppm", "1", "--fixed", "0", "--min", "5"];
    const bad = await on.paylink(
      "rules",
      "put",
      "--tenant",
      "default",
      "--mode",
      "test",
      ...rule,
      "--max",
      "4",
    );
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
    const high = await on.paylink("rules", "put", "--tenant", "default", "--mode", "test", ...percent);
    expect(high.stderr).toBe("paylink: --percent-ppm must be 0 to 500000. (invalid_request)\n");
    const fx = await on.paylink("fx", "publish", "--mode", "test", "--spot", "1000000");
    expect(fx.stderr).toContain("It must be BRL per USD, 0.01 to 1000, with at most 6 decimals.");
  });
});

// util-linux's `script` gives a command a terminal.
test.skipIf(process.platform !== "linux")(
  "a list fits the terminal, in colours unless NO_COLOR is set, and has local times",
  async () => {
    const tenant = (await on.paylink("demo", "tenant")).stdout.trim();
    const { event } = await on.json("trigger", "payment.failed", "--tenant", tenant);
    const listed = ["events", "list", "--tenant", tenant, "--mode", "test"];
    const env = { ...on.service.env, TZ: "America/Sao_Paulo", TERM: "xterm", NODE_DISABLE_COLORS: "" };
    const atTerminal = async (columns: number, more: Record<string, string>) => {
      const command = `unset CI FORCE_COLOR; stty cols ${columns}; ${process.execPath} ${MAIN} ${listed.join(" ")}`;
      const shown = await runProgram("script", ["-qec", command, "/dev/null"], { ...env, ...more });
      return shown.stdout.replaceAll("\r", "");
    };
    const [wide, plain, narrow, [asJson], piped] = await Promise.all([
      atTerminal(140, { NO_COLOR: "" }),
      atTerminal(140, { NO_COLOR: "1" }),
      atTerminal(70, { NO_COLOR: "1" }),
      on.json(...listed),
      on.paylink(...listed),
    ]);
    expect(wide).toContain("\u001B[1mid\u001B[22m");
    expect(wide).toContain("\u001B[31mpayment.failed\u001B[39m");
    expect(asJson).toMatchObject({
      id: event,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    });
    // Three hours behind UTC, all year.
    const local = new Date(Date.parse(asJson.created) - 3 * 3_600_000).toISOString();
    expect(plain).toContain(`${local.slice(0, 10)} ${local.slice(11, 19)}\n`);
    expect(narrow).toContain(`id         ${event}\ntype       payment.failed\n`);
    expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(70);
    expect(piped.stdout).toContain(event);
    expect(piped.stdout).not.toContain("\u001B");
  },
);
