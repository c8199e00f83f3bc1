import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { newAuthority, writeFiles } from "../../support/certificates.ts";
import { makeDataFolder } from "../../support/data-folder.ts";
import { examined, finding, notOk, ports } from "./examined.ts";

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

describe("paylink doctor without a database that answers", () => {
  let env: Readonly<Record<string, string>>;
  let folder: string;
  beforeEach(async () => {
    const { path, remove } = await makeDataFolder();
    folder = path;
    undo.push(remove);
    env = { ...(await ports()), DATA_DIR: join(path, "data") };
  });

  test("on a new machine all is well, and nothing is made", async () => {
    expect(notOk(await examined(env))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("an unreachable database, its password not shown", async () => {
    const unreachable = { ...env, DATABASE_URL: "postgresql://me:hidden-word@127.0.0.1:1/x" };
    const findings = await examined(unreachable);
    expect(notOk(findings)).toEqual([finding("database", "problem", /ECONNREFUSED/, /DATABASE_URL/)]);
    expect(JSON.stringify(findings)).not.toContain("hidden-word");
  });

  test("a variable that cannot be used", async () => {
    expect(notOk(await examined({ ...env, PORT: "http" }))).toEqual([
      finding("configuration", "problem", /^PORT must be a port/, /docs\/variables\.md/),
    ]);
    expect(notOk(await examined({ ...env, HOST: "0.0.0.0" }))).toEqual([
      finding("configuration", "problem", /^PUBLIC_URL must be set when HOST/, /docs\/variables\.md/),
    ]);
    expect(notOk(await examined({ ...env, CHECKOUT_BASE: "https://pay.example.com/shop" }))).toEqual([
      finding("configuration", "problem", /^CHECKOUT_BASE must be .* without path/, /docs\/variables\.md/),
    ]);
  });

  test("a variable by its former name, which works", async () => {
    const CORE_ADDRESS = `127.0.0.1:${env["CORE_PORT"]}`;
    expect(notOk(await examined({ ...env, CORE_ADDRESS }))).toEqual([
      finding(
        "configuration",
        "warning",
        /^CORE_ADDRESS is the former name of CORE_URL/,
        /docs\/variables\.md/,
      ),
    ]);
  });

  test("a port of another paylink, which a start would not get", async () => {
    const probe = createServer((_request, response) => void response.end('{"status":"ok"}')).listen(
      0,
      "127.0.0.1",
    );
    await once(probe, "listening");
    const port = String((probe.address() as AddressInfo).port);
    const advice = /another port/;
    expect(notOk(await examined({ ...env, PORT: port }))).toEqual([
      finding(
        "ports",
        "warning",
        /^PORT \d+: a paylink of another configuration answers.* start would fail$/,
        advice,
      ),
    ]);
    expect(notOk(await examined({ ...env, METRICS_PORT: port }))).toEqual([
      finding(
        "ports",
        "warning",
        /^METRICS_PORT \d+ is taken by a paylink of another conf.* without metrics$/,
        advice,
      ),
    ]);
    probe.closeAllConnections();
    await once(probe.close(), "close");
  });

  test("the port of callbacks, which another program has, and one without TLS_CERT", async () => {
    const { cert, key } = await (await newAuthority("Ours")).issue();
    const files = await writeFiles({ cert, key });
    undo.push(files.remove);
    const other = createServer((_request, response) => void response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    const own = { TLS_CERT: files.paths.cert, TLS_KEY: files.paths.key, CALLBACK_TLS_PORT: port };
    const ofPorts = notOk(await examined({ ...env, ...own })).filter(({ check }) => check === "ports");
    expect(ofPorts).toEqual([
      finding("ports", "problem", /^CALLBACK_TLS_PORT \d+ is taken by another program$/, /another port/),
    ]);
    other.closeAllConnections();
    await once(other.close(), "close");
    expect(notOk(await examined({ ...env, CALLBACK_TLS_PORT: port }))).toEqual([
      finding("configuration", "problem", /^CALLBACK_TLS_PORT needs TLS_CERT/, /docs\/variables\.md/),
    ]);
  });

  test("two variables with one port", async () => {
    const found = notOk(await examined({ ...env, METRICS_PORT: env["PORT"] ?? "" }));
    expect(found).toEqual([
      finding("ports", "problem", /^PORT \d+ is METRICS_PORT as well$/, /another port/),
      finding("ports", "problem", /^METRICS_PORT \d+ is PORT as well$/, /another port/),
    ]);
  });

  test("a file in place of the data folder, and a cluster that cannot be read", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(notOk(await examined({ ...env, DATA_DIR: join(file, "data") }))).toEqual([
      finding("data folder", "problem", /is not a folder$/, /DATA_DIR/),
    ]);
    await mkdir(join(folder, "data", "postgres", "cluster"), { recursive: true });
    const keyless = finding("data key", "problem", /data-key is not there: bring it back/, /new key/);
    expect(notOk(await examined(env))).toEqual([
      finding("database", "problem", /PG_VERSION/, /user/),
      keyless,
    ]);
  });

  test("a port of another program, which is no core either, and an address of another machine", async () => {
    const other = createServer((_request, response) => void response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    for (const variable of ["PORT", "CORE_HTTP_PORT"]) {
      expect(notOk(await examined({ ...env, [variable]: port }))).toEqual([
        finding(
          "ports",
          "problem",
          new RegExp(`^${variable} ${port} is taken by another program$`),
          /another port/,
        ),
      ]);
    }
    expect(notOk(await examined({ ...env, CORE_PORT: port }))).toEqual([
      finding("ports", "problem", /^CORE_PORT \d+ is taken/, /another port/),
      finding("core", "problem", /does not answer as a core$/, /CORE_URL/),
    ]);
    expect(notOk(await examined({ ...env, METRICS_PORT: port }))).toEqual([
      finding(
        "ports",
        "warning",
        /^METRICS_PORT \d+ is taken by another program: .* without metrics$/,
        /another port/,
      ),
    ]);
    other.closeAllConnections();
    await once(other.close(), "close");
    const elsewhere = notOk(await examined({ ...env, HOST: "203.0.113.1", PUBLIC_URL: "https://a.test" }));
    expect(elsewhere).toHaveLength(5);
    expect(elsewhere[0]).toEqual(finding("proxies", "warning", /one address/, /TRUSTED_PROXIES/));
    expect(elsewhere[1]).toEqual(finding("ports", "problem", /EADDRNOTAVAIL/, /HOST/));
  });
});
