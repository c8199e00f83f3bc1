import { createPublicKey, generateKeyPairSync, X509Certificate, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { CallbackProofKind, ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { Encryption } from "../../src/platform/db/encryption.ts";
import { readCallbackKey } from "../../src/providers/pagarme/callback-keys.ts";
import { openConfig, sealConfig } from "../../src/provider-accounts/deps.ts";
import type { AccountRow } from "../../src/provider-accounts/entities.ts";
import { newAuthority } from "../support/certificates.ts";
import { DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { longestStopMs } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";
import { heavyChain, newHeavyKey, pemOf } from "../support/heavy-certificates.ts";
import { createMerchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { advance, configAt, connectMerchant, startLive, type LiveMerchant } from "./live-merchant.ts";

// One verification takes some 16 ms with a heavy key, and 248 of them were possible.
const STOP_MS = 500;
const CALLBACKS = 10;
const TOO_MUCH = "takes too much work";

const live = await forFile(startLive({ certificateProxies: ["127.0.0.1"] }));
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
const key = newHeavyKey();
const heavy = heavyChain(key, 8, () => "X");
const heavyPem = heavy.map(pemOf).join("");
const names = { kind: CallbackProofKind.MTLS, issuer: "Bank CA", subject: "localhost" };
const authority = await newAuthority("Bank CA");
const own = new X509Certificate((await authority.issue()).cert).raw;
// The certificates are younger than the clock.
advance(live, 60);

const put = async (ca: string, proofCa: string) => {
  const { as } = await createMerchant(live.service, {}, "live");
  const config = configAt(live, { ca, callback: { ...names, ca: proofCa } });
  return await live.providers.putProviderAccount({ kind: ProviderKind.PIX, profile: "bacen", config }, as);
};
const send = async ({ path }: LiveMerchant, [first, ...others]: readonly Buffer[]) => {
  const text = (der: Buffer | undefined) => `:${der?.toString("base64")}:`;
  const headers = { "client-cert": text(first), "client-cert-chain": others.map(text).join(", ") };
  const request = { method: "POST", url: `${path}/pix`, payload: "{}", headers } as const;
  return (await live.service.gateway.inject(request)).statusCode;
};
/** Stores what a release before the bounds took. */
const store = async (
  { accountId }: LiveMerchant,
  proof: { ca: string; issuer?: string; subject?: string },
) => {
  const [row] = await rows.read(
    `SELECT tenant_id AS "tenantId", id, sealed_config AS "sealedConfig" FROM live.provider_account WHERE id = $1`,
    [accountId],
  );
  const account = row as unknown as AccountRow;
  const encryption = Reflect.construct(Encryption, [DATA_KEY]) as Encryption;
  const config = await openConfig(encryption, account);
  const changed = { ...config, callback: { ...config.callback, ...proof } } as typeof config;
  await rows.run("UPDATE live.provider_account SET sealed_config = $2 WHERE id = $1", [
    accountId,
    await sealConfig(encryption, account, changed),
  ]);
};

test("an account may not name authorities with heavy keys, nor more than eight", async () => {
  const many = (await Promise.all(Array.from({ length: 9 }, () => newAuthority("Bank CA")))).map(
    ({ cert }) => cert,
  );
  const stop = await longestStopMs(async () => {
    expect(await refusalOf(put(heavyPem, authority.cert))).toMatchObject({ param: "config.ca" });
    await expect(put(live.authority.cert, heavyPem)).rejects.toThrow(TOO_MUCH);
    await expect(put(live.authority.cert, many.join("\n"))).rejects.toThrow("more than 8 certificates");
  });
  expect(stop).toBeLessThan(STOP_MS);
  await put(live.authority.cert, Array.from({ length: 20 }, () => authority.cert).join("\n"));
  await put(live.authority.cert, many.slice(0, 8).join("\n"));
});

test("a callback with seven intermediates of heavy keys is refused without verifying them", async () => {
  const merchant = await connectMerchant(live, { ...names, ca: authority.cert });
  await store(merchant, {
    ca: Array.from({ length: 31 }, () => heavyPem).join(""),
    issuer: "X",
    subject: "X",
  });
  const stop = await longestStopMs(async () => {
    for (let count = 0; count < CALLBACKS; count++) expect(await send(merchant, heavy)).toBe(403);
  });
  expect(stop).toBeLessThan(STOP_MS);
});

test("an account that was stored with 20 authorities takes callbacks by the first eight", async () => {
  const others = await Promise.all(Array.from({ length: 19 }, () => newAuthority("Bank CA")));
  const certs = others.map(({ cert }) => cert);
  const merchant = await connectMerchant(live, { ...names, ca: authority.cert });
  await store(merchant, { ca: [heavyPem, certs[0], certs[0], authority.cert, ...certs].join("\n") });
  expect(await send(merchant, [own])).toBe(200);
  const later = await connectMerchant(live, { ...names, ca: authority.cert });
  await store(later, { ca: [...certs, authority.cert].join("\n") });
  expect(await send(later, [own])).toBe(403);
});

test("a key of Pagar.me's signatures with a long exponent is refused", () => {
  const pem = (given: KeyObject) => createPublicKey(given).export({ type: "spki", format: "pem" });
  expect(readCallbackKey(pem(key.privateKey))).toBeUndefined();
  const usual = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  expect(readCallbackKey(pem(usual))).toBeDefined();
});
