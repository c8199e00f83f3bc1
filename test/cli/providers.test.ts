import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SCOPES } from "../../tools/bank/state.ts";
import { CLIENT, KEY } from "../api-pix/connected.ts";
import { advance, startLive } from "../provider-accounts/live-merchant.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { KEYS } from "../live-cards/pagarme-merchant.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";
import { runCommand } from "../support/process.ts";

const live = await forFile(startLive());
const ports = await forFile(openCorePorts(live.service.core));
const tenant = (await createMerchant(live.service, {}, "live")).tenant.id;
const folder = await makeDataFolder();
afterAll(async () => await folder.remove());
const config = join(folder.path, "bank.json");
await writeFile(join(folder.path, "client.pem"), live.identity.cert);
const bank = {
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  pix_key: KEY,
  certificate: "client.pem",
  private_key: live.identity.key,
  ca: live.authority.cert,
  base_url: live.bank.baseUrl,
  token_url: live.bank.tokenUrl,
  callback: { proof: "hmac" },
};
await writeFile(config, JSON.stringify(bank));

async function providers(...args: string[]) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const { code, stdout, stderr } = await runCommand(["providers", ...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}
const ofTenant = () => ["--tenant", tenant, "--mode", "live"];
const put = async () =>
  await providers("put", ...ofTenant(), "--kind", "pix", "--profile", "bacen", "--config", config);

test("paylink providers connects, verifies, sweeps, rotates and retires an account, and prints each as JSON", async () => {
  const { json: made, ...ended } = await put();
  expect(ended).toEqual({ code: 0, stderr: "" });
  expect(made).toEqual({
    id: expect.stringMatching(/^pac_/),
    callback_url: expect.stringMatching(/^https?:.*\/providers\//),
  });
  const { id } = made;
  const account = {
    id,
    kind: "pix",
    profile: "bacen",
    label: null,
    state: "active",
    client: `…${CLIENT.id.slice(-4)}`,
    fingerprint: expect.any(String),
    certificate: expect.any(String),
    certificate_expires_at: expect.any(String),
    verified_at: null,
    callbacks_interrupted_at: null,
    unread_days: [],
    created_at: expect.any(String),
  };
  expect(await providers("list", ...ofTenant())).toEqual({ code: 0, stderr: "", json: [account] });

  const verified = {
    id,
    accepted: "yes",
    problem: null,
    missing_scopes: [],
    warnings: [],
    other_callback_url: null,
    charge_clock_gap_seconds: null,
    clock_skew_seconds: expect.any(Number),
  };
  expect(await providers("verify", id)).toEqual({
    code: 0,
    stderr: "",
    json: { ...verified, pix_key_confirmed: null, callback_registered: "no" },
  });
  const url = "https://shop.example.com/pix";
  live.bank.account().webhooks.set(KEY, { url, createdAt: new Date(0) });
  const warnings = [expect.stringContaining("--replace")];
  expect(await providers("verify", id, "--register")).toMatchObject({
    code: 1,
    json: { ...verified, callback_registered: "no", other_callback_url: url, warnings },
  });
  expect(await providers("verify", id, "--register", "--replace")).toMatchObject({
    code: 0,
    json: { ...verified, pix_key_confirmed: "yes", callback_registered: "yes" },
  });
  live.bank.grant(SCOPES.filter((scope) => scope !== "pix.write"));
  await providers("rotate", id, "--config", config);
  expect(await providers("verify", id)).toMatchObject({
    code: 0,
    json: {
      accepted: "yes",
      missing_scopes: ["pix.write"],
      warnings: ["Without pix.write no refund can be made here."],
    },
  });
  live.bank.grant(SCOPES);
  await providers("rotate", id, "--config", config);

  const { endToEndId } = live.bank.payKey(700n);
  advance(live, 120);
  expect(await providers("sweep", id)).toEqual({
    code: 0,
    stderr: "",
    json: { id, money: 1, unknown: 1, unread_days: [] },
  });
  expect(live.service.faults.splice(0)).toMatchObject([{ mode: "live", count: 1 }]);
  const unknown = { account: id, end_to_end_id: endToEndId, txid: null, amount: 700 };
  expect(await providers("unknown", ...ofTenant())).toEqual({
    code: 0,
    stderr: "",
    json: [{ ...unknown, received_at: expect.any(String) }],
  });

  const settled = {
    ...unknown,
    received_at: expect.any(String),
    settled_at: expect.any(String),
    settled_by: "command_line",
    note: "sent back",
  };
  expect(await providers("settle", id, endToEndId, "--note", "sent back")).toEqual({
    code: 0,
    stderr: "",
    json: settled,
  });
  expect(await providers("unknown", ...ofTenant())).toMatchObject({ code: 0, json: [] });
  expect(await providers("unknown", ...ofTenant(), "--settled")).toMatchObject({ code: 0, json: [settled] });
  expect(await providers("settle", id, "E1", "--note", "x")).toMatchObject({ code: 1, json: undefined });

  const rotated = await providers("rotate", id, "--config", config);
  expect(rotated).toMatchObject({ code: 0, stderr: "", json: { id, state: "active" } });
  expect(Object.keys(rotated.json)).toEqual(Object.keys(account));
  const retired = { code: 0, stderr: "", json: { id, state: "retired" } };
  expect(await providers("retire", id)).toMatchObject(retired);
  expect(await providers("retire", id)).toMatchObject(retired);
});

test("paylink providers connects, verifies, rotates and retires an account for cards at Pagar.me", async () => {
  const pagarme = await startPagarme({ accounts: [KEYS] });
  const { secretKey: secret_key, publicKey: public_key } = KEYS;
  const file = async (name: string, changes: object = {}): Promise<string> => {
    const path = join(dirname(config), name);
    const callback = { keys: "published" };
    const fields = { secret_key, public_key, callback, base_url: pagarme.baseUrl, ...changes };
    await writeFile(path, JSON.stringify(fields));
    return path;
  };
  const kind = ["--kind", "card", "--profile", "pagarme"];
  const inTest = await file("test.json", { secret_key: "sk_test_0123456789" });
  const refused = await providers("put", ...ofTenant(), ...kind, "--config", inTest);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("secret_key") });
  expect(refused.stderr).not.toContain("sk_test_0123456789");
  const made = await providers("put", ...ofTenant(), ...kind, "--config", await file("cards.json"));
  expect(made).toMatchObject({ code: 0, json: { callback_url: expect.stringContaining("/providers/") } });
  const { id } = made.json;
  expect(await providers("verify", id)).toMatchObject({ code: 0, json: { accepted: "yes" } });
  const wrong = await file("wrong.json", { secret_key: "sk_ffffffffffffffff" });
  expect(await providers("rotate", id, "--config", wrong)).toMatchObject({ code: 0 });
  expect(await providers("verify", id)).toMatchObject({ code: 1, json: { accepted: "no" } });
  expect(await providers("retire", id)).toMatchObject({
    code: 0,
    json: { profile: "pagarme", state: "retired" },
  });
  await pagarme.stop();
});

test("paylink providers exits with 1 for an account that is refused, retired, unknown or already there", async () => {
  const { id } = (await put()).json;
  live.bank.fail("token", { kind: "status", status: 401 }, 10);
  const refused = await providers("verify", id);
  live.bank.faults.clear();
  expect(refused).toMatchObject({ code: 1, json: { id, accepted: "no", problem: expect.any(String) } });

  expect(await put()).toMatchObject({ code: 1, json: undefined, stderr: expect.stringContaining(id) });
  await providers("retire", id);
  const rotated = await providers("rotate", id, "--config", config);
  expect(rotated).toMatchObject({ code: 1, json: undefined });
  expect(rotated.stderr).toContain("retired");
  for (const word of ["verify", "sweep", "retire"]) {
    const answer = await providers(word, "pac_01k9z0xkq6e2tv4wq3m5n7p8ra");
    expect([word, answer.code, answer.json]).toEqual([word, 1, undefined]);
    expect(answer.stderr).toContain("There is no such provider account");
  }
});
