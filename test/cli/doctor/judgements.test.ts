import { X509Certificate } from "node:crypto";
import { chmod } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { checkCertificate } from "../../../cli/operate/doctor/certificates.ts";
import { judgeClocks } from "../../../cli/operate/doctor/clock.ts";
import { judgeDataFolder } from "../../../cli/operate/doctor/data-folder.ts";
import { checkDatabasePackage } from "../../../cli/operate/doctor/database-package.ts";
import { judgeSettings } from "../../../cli/operate/doctor/database-settings.ts";
import { judgeNode } from "../../../cli/operate/doctor/node-version.ts";
import { judgeProxies } from "../../../cli/operate/doctor/proxies.ts";
import { judgePrivateFiles } from "../../../cli/operate/doctor/private-files.ts";
import { judgePublicAddress } from "../../../cli/operate/doctor/public-address.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { newAuthority, writeFiles } from "../../support/certificates.ts";

describe("what cannot be brought about here is judged all the same", () => {
  const clocks = { nowMs: Date.UTC(2026, 10, 21), jumpMs: 0, databaseAheadMs: 0 };
  const folder = { path: "/data", exists: true, mode: 0o700, freeMegabytes: 5000 };
  const settings = {
    version: 18,
    encoding: "UTF8",
    isReadOnly: false,
    fsync: "on",
    synchronousCommit: "on",
    fullPageWrites: "on",
    connections: 97,
    mayCreateSchemas: true,
  };

  test("clocks", () => {
    expect(judgeClocks(clocks).status).toBe("ok");
    expect(judgeClocks({ ...clocks, databaseAheadMs: -5000 }).status).toBe("warning");
    expect(judgeClocks({ ...clocks, databaseAheadMs: 120_000 }).status).toBe("problem");
    expect(judgeClocks({ ...clocks, jumpMs: 3000 }).status).toBe("warning");
    expect(judgeClocks({ ...clocks, nowMs: 0 }).status).toBe("problem");
    expect(judgeClocks({ ...clocks, zoneError: "unknown" }).advice).toMatch(/tzdata/);
  });

  test.each([
    [{ HOST: "127.0.0.1" }, ["ok"]],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "https://pay.example.com" }, ["ok"]],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "http://pay.example.com" }, ["warning"]],
    [{ PUBLIC_URL: "http://pay.example.com", CONSOLE_ALLOW_HTTP: "true" }, ["warning"]],
    [{ PUBLIC_URL: "https://pay.example.com", WEBHOOK_ALLOW_LOOPBACK: "true" }, ["ok", "warning"]],
  ])("the public address with %j: %j", (env, statuses) => {
    const found = [...judgePublicAddress(readConfig(env))];
    expect(found.map(({ status }) => status)).toEqual(statuses);
  });

  test.each([
    ["http://localhost:8080", "", "ok"],
    ["http://127.0.0.1:8080", "", "ok"],
    ["https://localhost:8443", "", "warning"],
    ["https://pay.example.com", "", "warning"],
    ["http://pay.example.com", "", "warning"],
    ["https://pay.example.com", "10.0.0.0/8", "ok"],
  ])("proxies of %s, trusted: %s", (url, trusted, status) => {
    const config = readConfig({ PUBLIC_URL: url, TRUSTED_PROXIES: trusted });
    expect(judgeProxies(config).status).toBe(status);
    const tls = { cert: "cert.pem", key: "key.pem", clientCa: undefined };
    expect(judgeProxies({ ...config, gatewayTls: tls }).status).toBe("ok");
  });

  test("a disk that is full, a key of another user", () => {
    expect(judgeDataFolder(folder).status).toBe("ok");
    expect(judgeDataFolder({ ...folder, freeMegabytes: 900 }).status).toBe("warning");
    expect(judgeDataFolder({ ...folder, freeMegabytes: 10 }).status).toBe("problem");
    const file = { path: "/data/core-token", isFile: true, mode: 0o600, uid: 1000 };
    expect(judgePrivateFiles([file], 1001)).toMatchObject([{ status: "problem" }]);
    for (const uid of [0, 1000]) expect(judgePrivateFiles([file], uid)).toMatchObject([{ status: "ok" }]);
  });

  test("a replica, servers without durability, an old one", () => {
    const statuses = (change: object) =>
      judgeSettings({ ...settings, ...change }).map(({ status }) => status);
    expect(statuses({})).toEqual(["ok"]);
    expect(statuses({ isReadOnly: true })).toEqual(["problem"]);
    expect(statuses({ fsync: "off", fullPageWrites: "off" })).toEqual(["problem", "problem"]);
    expect(statuses({ version: 17 })).toEqual(["warning"]);
    expect(statuses({ version: 12 })).toEqual(["problem"]);
  });

  test("certificates: cleartext, good, late, over, readable by others, of another key", async () => {
    const authority = await newAuthority("Doctor");
    const [one, other] = [await authority.issue(), await authority.issue()];
    const { paths, rewrite, remove } = await writeFiles({ cert: one.cert, key: one.key });
    const end = new X509Certificate(one.cert).validToDate.getTime();
    const statusAt = async (nowMs: number) =>
      (await checkCertificate("core", { ...paths, clientCa: undefined }, nowMs)).status;
    expect((await checkCertificate("core", undefined, 0)).status).toBe("ok");
    expect(await statusAt(end - 30 * 86_400_000)).toBe("ok");
    expect(await statusAt(end - 86_400_000)).toBe("warning");
    expect(await statusAt(end)).toBe("problem");
    expect(await statusAt(0)).toBe("problem");
    await chmod(paths.key, 0o644);
    expect(await statusAt(end - 30 * 86_400_000)).toBe("problem");
    await chmod(paths.key, 0o600);
    await rewrite("key", other.key);
    expect(await statusAt(end - 30 * 86_400_000)).toBe("problem");
    await remove();
  });

  test("an old Node, a platform without PostgreSQL", async () => {
    expect(judgeNode("26.10.0", "26.10.0").status).toBe("ok");
    expect(judgeNode("20.20.2", "26.10.0").status).toBe("problem");
    expect(await checkDatabasePackage(true, "sunos-sparc")).toMatchObject({ status: "problem" });
    expect(await checkDatabasePackage(false, "sunos-sparc")).toMatchObject({ status: "warning" });
  });
});
