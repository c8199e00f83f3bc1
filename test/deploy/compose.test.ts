import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/platform/config/config.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { openShell } from "../support/shell.ts";
import { deploy, DIGESTS, isCommand, knownVariables } from "./deployed.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;
const ENGINE = `#!/bin/sh
case "$1 $2" in
  "pull --quiet") echo "$3" ;;
  "image inspect") echo "\${5%:*}@${DIGEST}" ;;
  *) exit 1 ;;
esac
`;

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
}

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly ulimits?: { readonly core: number };
  readonly mem_limit?: string;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly disable?: boolean };
  readonly deploy?: { readonly replicas: number };
  readonly networks?: readonly string[];
}
interface Network {
  readonly ipam?: { readonly config: readonly { readonly subnet: string }[] };
}

const text = await readFile(join(deploy, "compose.yaml"), "utf8");
const { services, networks } = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, Network | null>>;
};

/** As compose does: a variable that must be set gets something that can be used. */
function fill(value: string): string {
  return value
    .replace(/\$\{DATA_KEY:\?.*?\}/, Buffer.alloc(32).toString("base64"))
    .replace(/\$\{PUBLIC_URL:\?.*?\}/, "https://pay.example.com")
    .replaceAll(/\$\{\w+:\?.*?\}/g, "a-secret-of-the-operator")
    .replaceAll(/\$\{\w+:-(.*?)\}/g, "$1");
}

describe("compose.yaml", () => {
  test("runs the parts apart: two cores, two gateways, a worker", async () => {
    const ours = Object.entries(services).filter(([, { build: made }]) => made);
    expect(
      ours.map(([name, { command, deploy: scale }]) => [name, ...(command ?? []), scale?.replicas]),
    ).toEqual([
      ["core", "serve", "--role", "core", 2],
      ["worker", "serve", "--role", "worker", undefined],
      ["gateway", "serve", "--role", "gateway", 2],
    ]);
    for (const [, { command, build: made, ulimits, mem_limit: memory }] of ours) {
      // A dump of a process holds the data key.
      expect({ ulimits, memory }).toEqual({ ulimits: { core: 0 }, memory: "1g" });
      expect(isCommand(command ?? [])).toBe(true);
      await stat(join(deploy, made?.context ?? "", made?.dockerfile ?? ""));
    }
    // A condition of health needs a check: the service's own, or the image's, which asks any part.
    for (const { depends_on: needs = {} } of Object.values(services)) {
      for (const name of Object.keys(needs)) {
        expect(services[name]?.healthcheck?.disable).toBeUndefined();
        const isChecked = services[name]?.build !== undefined || services[name]?.healthcheck !== undefined;
        expect(isChecked).toBe(true);
      }
    }
  });

  test("lets the gateways trust only the proxy for client addresses", () => {
    const { trustedProxies } = readConfig({
      TRUSTED_PROXIES: fill(services["gateway"]?.environment?.["TRUSTED_PROXIES"] ?? ""),
    });
    const subnets = networks["front"]?.ipam?.config.map(({ subnet }) => fill(subnet));
    expect(trustedProxies).toEqual(subnets);
    expect(services["proxy"]?.networks).toEqual(["front"]);
    const onFront = Object.entries(services).filter(([, service]) => service.networks?.includes("front"));
    expect(onFront.map(([name]) => name)).toEqual(["gateway", "proxy"]);
    expect(services["gateway"]?.networks).toContain("default");
  });

  test("sets only variables that there are, with values that can be used, and holds no secret", () => {
    for (const { environment, build: made } of Object.values(services)) {
      if (!made || !environment) continue;
      expect(knownVariables()).toEqual(new Set([...knownVariables(), ...Object.keys(environment)]));
      const filled = Object.entries(environment).map(([name, value]) => [name, fill(value)]);
      expect(readConfig(Object.fromEntries(filled))).toMatchObject({
        seed: "none",
        coreHttpUrls: ["http://core:50052"],
        isDemoMachine: false,
        rateLimits: { key: { perSecond: 50 }, tenant: { perSecond: 100 } },
      });
      for (const name of ["CORE_TOKEN", "DATA_KEY"]) expect(environment[name]).toMatch(/^\$\{\w+:\?/);
    }
    expect(services["database"]?.environment?.["POSTGRES_PASSWORD"]).toMatch(/^\$\{\w+:\?/);
  });

  test("takes what deploy/README.md makes", async () => {
    const readme = await readFile(join(deploy, "README.md"), "utf8");
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name ?? ""));
    // The shell lines themselves, in a folder of their own.
    const { path, remove } = await makeDataFolder();
    const lines = readme.match(/^ {4}(umask|for|echo|sh) .*$/gm) ?? [];
    await mkdir(join(path, "deploy"));
    await cp(join(deploy, "image-digests.sh"), join(path, "deploy", "image-digests.sh"));
    // No registry is asked: a replacement of the engine knows a digest of every image.
    await writeFile(join(path, "podman"), ENGINE, { mode: 0o755 });
    const shell = await openShell(path, { PATH: `${path}:${process.env["PATH"]}` });
    const { code } = await shell.run(lines.join("\n"));
    await shell.close();
    expect(code).toBe(0);
    const made = (await readFile(join(path, "deploy", ".env"), "utf8")).trim().split("\n");
    expect((await stat(join(path, "deploy", ".env"))).mode & 0o077).toBe(0);
    const values = Object.fromEntries(made.map((line) => line.split(/=(.*)/s)));
    expect(new Set(Object.keys(values))).toEqual(needed);
    const { dataKeys } = readConfig({
      HOST: "0.0.0.0",
      ...pick(values, ["CORE_TOKEN", "DATA_KEY", "PUBLIC_URL"]),
    });
    expect(dataKeys?.map(({ length }) => length)).toEqual([32]);
    expect(pick(values, DIGESTS)).toEqual(Object.fromEntries(DIGESTS.map((name) => [name, DIGEST])));
    await remove();
  });
});
