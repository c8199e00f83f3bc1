import { expect, test } from "vitest";
import { readGivenConfig, readProviderConfig } from "../../cli/commands/provider-config.ts";
import { CallbackProofKind } from "../../gen/paylink/providers/v1/providers_pb.ts";

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
const config = async (given: object) => await readProviderConfig(JSON.stringify(given), read);

test("a config takes PEM texts and paths to PEM", async () => {
  const given = {
    client_id: "c",
    certificate: "a.pem",
    private_key: PEM,
    callback: { proof: "mtls", ca: "a.pem" },
  };
  expect(await config(given)).toMatchObject({
    clientId: "c",
    certificate: PEM,
    privateKey: PEM,
    callback: { kind: CallbackProofKind.MTLS, ca: PEM },
  });
});

test("a config takes a path to PKCS#12 with its passphrase", async () => {
  const { pkcs12, passphrase } = await config({ certificate: "a.p12", passphrase: "p" });
  expect([pkcs12, passphrase]).toEqual([new Uint8Array([0x30, 0x82]), "p"]);
});

test.each<[given: unknown, message: string]>([
  ["x", "The config file must be a JSON object."],
  [{ cliente: "c" }, "cliente is not a field of the config."],
  [{ client_id: 1 }, "client_id must be a text."],
  [{ certificate: "b.pem" }, "certificate is neither PEM nor a readable file (ENOENT)."],
  [{ callback: { proof: "none" } }, "callback.proof must be hmac or mtls."],
])("a config is refused by the name of its field: %j", async (given, message) => {
  await expect(readProviderConfig(JSON.stringify(given), read)).rejects.toThrow(message);
});

const pagarme = async (given: object) =>
  await readGivenConfig(JSON.stringify({ secret_key: "sk_1", public_key: "pk_1", ...given }), read);

test("a config with a secret key is of Pagar.me, whose callbacks are proven as it says", async () => {
  expect(await pagarme({ callback: { keys: "published" } })).toEqual({
    pagarme: {
      secretKey: "sk_1",
      publicKey: "pk_1",
      callbackKey: "",
      maxInstallments: 0,
      leastInstallment: 0n,
      isWithoutAntifraud: false,
      baseUrl: "",
    },
  });
  const own = { callback: { key: "a.pem" }, max_installments: 24, least_installment: 500, antifraud: false };
  expect(await pagarme(own)).toMatchObject({
    pagarme: {
      callbackKey: PEM,
      maxInstallments: 24,
      leastInstallment: 500n,
      isWithoutAntifraud: true,
    },
  });
});

test.each<[given: object, message: string]>([
  [{}, 'callback must have keys, which is "published", or key'],
  [
    { callback: { keys: "published", key: "a.pem" } },
    'callback must have keys, which is "published", or key',
  ],
  [{ callback: { keys: "all" } }, 'callback must have keys, which is "published", or key'],
  [{ callback: { key: "b.pem" } }, "callback.key is neither PEM nor a readable file (ENOENT)."],
  [{ callback: { keys: "published" }, max_installments: "18" }, "max_installments must be a whole number."],
  [{ callback: { keys: "published" }, antifraud: "no" }, "antifraud must be true or false."],
  [{ callback: { keys: "published" }, api_secret: "x" }, "api_secret is not a field of the config."],
])("a config of Pagar.me is refused by the name of its field: %j", async (given, message) => {
  await expect(pagarme(given)).rejects.toThrow(message);
});
