import { expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const tenant = await service.createTenant();

async function paylink(...args: string[]) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}
const statusOf = async (key: string) =>
  (await new Api(service, key).get("/v1/payments?from=2026-01-01&to=2026-01-31")).status;

test("paylink keys makes a key with limits, lists them and replaces it", async () => {
  const owner = ["--tenant", tenant.id, "--mode", "test", "--name", "till"];
  const limits = ["--expires-in", "90d", "--allow-address", "127.0.0.1,2001:db8::/32"];
  const made = await paylink("keys", "create", ...owner, ...limits);
  expect(made).toMatchObject({ code: 0, json: { addresses: ["127.0.0.1", "2001:db8::/32"] } });
  expect((Date.parse(made.json.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(90, 2);
  expect(await statusOf(made.json.key)).toBe(200);
  const rotated = await paylink("keys", "rotate", made.json.id, "--overlap", "1h");
  expect(rotated).toMatchObject({ code: 0, json: { replaced: made.json.id, scopes: made.json.scopes } });
  const [former, next] = (await paylink("keys", "list", "--tenant", tenant.id)).json.filter(
    ({ name }: { name: string }) => name === "till",
  );
  expect(former).toMatchObject({ id: made.json.id, expires_at: rotated.json.replaced_expires_at });
  expect(former.replaced_by).toBe(rotated.json.id);
  expect(await paylink("keys", "rotate", made.json.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`replaced by ${rotated.json.id} already`),
  });
  expect(next).toMatchObject({ id: rotated.json.id, addresses: made.json.addresses });
  expect(await statusOf(rotated.json.key)).toBe(200);
  expect(await statusOf(made.json.key)).toBe(200);
  service.clock.advance(3601);
  expect(await statusOf(made.json.key)).toBe(401);
  const [help, both, wrong] = await Promise.all([
    runCommand(["keys", "create", "--help"], {}),
    paylink("keys", "create", ...owner, "--expires-in", "1d", "--expires-at", "2099-01-01"),
    paylink("keys", "create", ...owner, "--expires-in", "soon"),
  ]);
  for (const scope of made.json.scopes) expect(help.stdout.replaceAll(/\s+/g, " ")).toContain(scope);
  const [none, past] = await Promise.all([
    paylink("keys", "create", ...owner, "--expires-in", "0s"),
    paylink("keys", "create", ...owner, "--expires-at", "2020-01-01"),
  ]);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("--expires-in must be later") });
  expect(past).toMatchObject({ code: 1, stderr: expect.stringContaining("--expires-at must be later") });
  expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining("--expires-at") });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("24h") });
});

test("paylink tokens says what may be allowed, refunds too", async () => {
  const refused = await paylink("tokens", "create", "--name", "x", "--allow", "refunds:read");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("refunds:write") });
  const { stdout } = await runCommand(["tokens", "create", "--help"], {});
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("refunds:write gives money back");
  const made = await paylink("tokens", "create", "--name", "y", "--allow", "refunds:write");
  expect(made).toMatchObject({ code: 0, json: { permissions: ["refunds:write"] } });
});

test("paylink tokens binds a token to a tenant and an environment, and lists that", async () => {
  const bounds = ["--tenant", tenant.id, "--mode", "test"];
  const made = await paylink("tokens", "create", "--name", "till", "--allow", "payers:read", ...bounds);
  expect(made).toMatchObject({ code: 0, json: { tenant: tenant.id, mode: "test" } });
  const listed = (await paylink("tokens", "list")).json as { id: string }[];
  expect(listed.find(({ id }) => id === made.json.id)).toMatchObject({
    permissions: ["payers:read"],
    tenant: tenant.id,
    mode: "test",
    gateway: null,
  });
  const refused = await paylink("tokens", "create", "--name", "x", "--allow", "payers:admin");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--allow must have entries") });
});
