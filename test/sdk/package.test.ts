import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

const service = await forFile(startService());
const { testKey } = await service.createTenant();
const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
const { path: project, remove } = await makeDataFolder();
await forFile(Promise.resolve({ close: remove }));

const PROGRAM = `
import { createPaylink } from "@paylink/sdk";
const paylink = createPaylink({ baseUrl: process.argv[2] ?? "", key: process.argv[3] ?? "" });
const { id } = await paylink.createPaymentLink({ amount: 15_990, currency: "BRL" });
const status: "active" | "completed" | "expired" | "canceled" = (await paylink.getPaymentLink({ id })).status;
console.log(status);
`;

test("the package is JavaScript with types, which another project compiles against and runs", async () => {
  const { stdout } = await run(process.execPath, [
    join(root, "tools", "scripts", "pack-sdk.ts"),
    join(project, "packed"),
  ]);
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@paylink"), { recursive: true });
  // What npm install makes of it, without a registry.
  await run("tar", ["-xzf", stdout.trim(), "-C", project]);
  await symlink(join(project, "package"), join(modules, "@paylink", "sdk"));
  for (const name of [
    "openapi-fetch",
    "openapi-typescript-helpers",
    "standardwebhooks",
    "@stablelib",
    "fast-sha256",
  ])
    await symlink(join(root, "node_modules", name), join(modules, name));
  await writeFile(join(project, "package.json"), '{"type": "module"}');
  await writeFile(join(project, "shop.ts"), PROGRAM);
  const tsc = join(root, "sdk", "node_modules", ".bin", "tsc");
  const options = [
    "--strict",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--typeRoots",
    join(root, "node_modules", "@types"),
  ];
  await run(tsc, [...options, "--types", "node", "--preserveSymlinks", "shop.ts"], { cwd: project });
  const ran = await run(process.execPath, [
    "--preserve-symlinks",
    join(project, "shop.js"),
    baseUrl,
    testKey,
  ]);
  expect(ran.stdout).toBe("active\n");
});
