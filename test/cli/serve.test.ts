import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { runCommand, startProcess } from "../support/process.ts";
import { forFile } from "../support/for-file.ts";
import { Served } from "./served.ts";

const on = await forFile(Served.start());

test("variables of libpq do not reach the embedded database, from the service, doctor, backup or restore", async () => {
  const [data, restored] = [await makeDataFolder(), await makeDataFolder()];
  const variables = {
    PGAPPNAME: "another",
    PGCLIENT_ENCODING: "LATIN1",
    PGDATABASE: "another",
    PGHOST: "127.0.0.1",
    PGOPTIONS: "-c default_transaction_read_only=on",
    PGPORT: "1",
    PGREPLICATION: "true",
    PGSSLMODE: "require",
    PGUSER: "another",
  };
  const service = await startProcess(data.path, variables, "all", ["--workers", "2"]);
  try {
    const doctor = await runCommand(["doctor"], service.env);
    expect(doctor.stdout).toMatch(/database +embedded, process \d+: PostgreSQL .* answers/);
    const file = join(data.path, "backup.tar.gz");
    expect(await runCommand(["backup", file, "--with-secrets"], service.env)).toMatchObject({
      code: 0,
      stderr: "",
    });
    const elsewhere = { ...service.env, DATA_DIR: restored.path };
    expect(await runCommand(["restore", file], elsewhere)).toMatchObject({ code: 0 });
  } finally {
    await service.end("SIGTERM");
    await data.remove();
    await restored.remove();
  }
});

describe("npm start", () => {
  test("prints for each demo tenant both keys and a curl line that works when pasted", async () => {
    const kept = JSON.parse(await readFile(join(on.dataDir, "demo-keys.json"), "utf8"));
    expect(kept.map((tenant: { payout_currency: string }) => tenant.payout_currency)).toEqual(["BRL", "USD"]);
    const lines = on.service.output().match(/curl .*/g) ?? [];
    expect(lines).toHaveLength(2);
    for (const [index, line] of lines.entries()) {
      expect(on.service.output()).toContain(kept[index].live_key);
      const { stdout } = await promisify(execFile)("sh", ["-c", line]);
      expect(JSON.parse(stdout)).toMatchObject({ tenant_id: kept[index].id, payer_total: 15_990 });
    }
  });

  test("keeps keys and core token readable by their owner alone", async () => {
    for (const name of ["demo-keys.json", "core-token", "data-key"]) {
      expect((await stat(join(on.dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  test("a second start on the same data prints the same keys, does not seed again, and SIGTERM exits 0", async () => {
    const linkOf = (text: string) => /console {3}(http\S+)/.exec(text)?.[1] ?? "";
    const link = linkOf(on.service.output());
    const keysOf = (text: string) => text.match(/svc_(test|live)_[\w-]{43}/g);
    const first = keysOf(on.service.output());
    expect(first).toHaveLength(6);
    const tenants = await on.json("tenants", "list");
    expect(await on.service.end("SIGTERM")).toBe(0);
    // Without the key that the database was first started with, a start makes no other one.
    const key = join(on.dataDir, "data-key");
    await rename(key, `${key}.away`);
    await expect(startProcess(on.dataDir)).rejects.toThrow(/data-key is not there: bring it back/);
    await expect(stat(key)).rejects.toThrow("ENOENT");
    await rename(`${key}.away`, key);
    const startedAt = performance.now();
    await on.startAgain();
    // Alone on the machine it takes 1.4 s.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await on.json("tenants", "list")).toEqual(tenants);
    await expect.poll(() => keysOf(on.service.output())).toEqual(first);
    expect(link).toMatch(/\/console\/invitations\/[\w-]{43}$/);
    expect(linkOf(on.service.output()).replace(/^.*\/console/, "")).toBe(link.replace(/^.*\/console/, ""));
    expect((await fetch(linkOf(on.service.output()))).status).toBe(200);
  });

  test("its console is for this machine: cookies go over http", async () => {
    const { headers } = await fetch(`${on.service.baseUrl}/console/signin`);
    expect(headers.get("set-cookie")).toMatch(/^paylink_form=(?!.*Secure)/);
  });

  test.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["CORE_PORT", "-1"],
    ["PUBLIC_URL", "ftp://x"],
    ["CHECKOUT_BASE", "https://pay.example.com/shop"],
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
    const { code, stdout, stderr } = await runCommand(["serve"], { ...on.service.env, [name]: value });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^paylink: ${name} must .*\n$`));
  });

  test("a HOST that does not resolve is named with its value", async () => {
    const env = { ...on.service.env, HOST: "no-such-host.invalid" };
    const withoutUrl = await runCommand(["serve"], env);
    expect(withoutUrl.stderr).toMatch(
      /^paylink: PUBLIC_URL must be set .*: HOST is no-such-host\.invalid.*\n$/,
    );
    for (const more of [[], ["--workers", "2"], ["--role", "gateway"]]) {
      const { code, stderr } = await runCommand(["serve", ...more], {
        ...env,
        PUBLIC_URL: "https://pay.example.com",
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^paylink: HOST must be .*: no-such-host\.invalid does not resolve\.\n$/);
    }
  });
});

test("a worker beside the embedded database of another part says that DATABASE_URL is missing", async () => {
  const worker = await runCommand(["serve", "--role", "worker"], { DATA_DIR: on.dataDir, METRICS_PORT: "0" });
  expect(worker).toMatchObject({ code: 1, stdout: "" });
  expect(worker.stderr).toMatch(
    /^paylink: DATABASE_URL is missing: the embedded database of DATA_DIR is another part's, and a worker beside it needs/m,
  );
});
