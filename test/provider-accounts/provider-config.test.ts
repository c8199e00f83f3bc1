import { expect, test } from "vitest";
import { readSettings } from "../../cli/commands/provider-config.ts";
import { toProvider } from "../../src/provider-accounts/mapping.ts";
import { offeredProviders } from "../../src/providers/registry.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nx";
const FILES: Readonly<Record<string, Buffer>> = {
  "a.pem": Buffer.from(PEM),
  "a.p12": Buffer.from([0x30, 0x82]),
};
const read = async (path: string): Promise<Buffer> => {
  const found = FILES[path];
  if (!found) throw Object.assign(new Error("no file"), { code: "ENOENT" });
  return await Promise.resolve(found);
};
const config = async (given: unknown, profile = "bacen") => {
  const providers = offeredProviders()
    .filter((one) => one.profile === profile)
    .map(toProvider);
  return await readSettings(JSON.stringify(given), providers, read);
};

test("a config takes PEM texts and paths to PEM", async () => {
  const given = {
    client_id: "c",
    certificate: "a.pem",
    private_key: PEM,
    callback: { proof: "mtls", ca: "a.pem" },
  };
  expect(await config(given)).toEqual({
    client_id: "c",
    certificate: PEM,
    private_key: PEM,
    "callback.proof": "mtls",
    "callback.ca": PEM,
  });
});

test("a config takes a path to PKCS#12, and sends its bytes", async () => {
  expect(await config({ certificate: "a.p12", passphrase: "p" })).toEqual({
    certificate: "data:;base64,MII=",
    passphrase: "p",
  });
});

test("a config takes numbers, and true or false", async () => {
  const given = {
    secret_key: "sk_1",
    callback: { keys: "published" },
    max_installments: 24,
    antifraud: false,
  };
  expect(await config(given, "pagarme")).toEqual({
    secret_key: "sk_1",
    "callback.keys": "published",
    max_installments: "24",
    antifraud: "false",
  });
});

test.each<[given: unknown, message: string]>([
  ["x", "The config file must be a JSON object."],
  [{ cliente: "c" }, "cliente is not a field of the config."],
  [{ callback: { key: "a.pem" } }, "callback.key is not a field of the config."],
  [{ client_id: ["c"] }, "client_id must be a text."],
  [{ callback: { ca: { pem: PEM } } }, "callback.ca must be a text."],
  [{ certificate: "b.pem" }, "certificate is neither PEM nor a readable file (ENOENT)."],
])("a config is refused by the name of its field: %j", async (given, message) => {
  await expect(config(given)).rejects.toThrow(message);
});
