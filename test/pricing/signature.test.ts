import { compactVerify, createLocalJWKSet, exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openEnvironment, type Environment } from "../../src/platform/db/database.ts";
import { pricingEntities, type PriceValues } from "../../src/pricing/entities.ts";
import { QuoteSigner } from "../../src/pricing/signature.ts";
import { MovableClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";

const NOW = new Date("2026-03-02T12:00:00Z");
const QUOTE = { id: "qt_1", tenantId: "ten_1", mode: "test", expiresAt: NOW, createdAt: NOW };
const PRICE = {
  amountMinor: 100n,
  currency: "BRL",
  method: "pix",
  installments: 1,
  feeHandling: "absorb",
  payerTotalMinor: 100n,
  payerCurrency: "BRL",
  receiverNetMinor: 90n,
  receiverCurrency: "BRL",
  ruleId: "rule_1",
  rateMicros: null,
  fxRateHistoryId: null,
} as PriceValues;

const opened: Environment[] = [];
let environment: Environment;
async function newEnvironment(): Promise<Environment> {
  const { url } = await cloneDatabase();
  const made = await openEnvironment({ url, schema: "test", entities: pricingEntities, poolMax: 2 });
  opened.push(made);
  return made;
}
beforeEach(async () => {
  environment = await newEnvironment();
});
afterAll(async () => {
  for (const { orm } of opened) await orm.close(true);
});

const signerOf = (of = environment) => new QuoteSigner(of, new MovableClock());

/** Verifies as anyone does who has the published keys. Returns the signed terms. */
async function termsOf(signature: string, of: QuoteSigner): Promise<unknown> {
  const keys = createLocalJWKSet({ keys: [...(await of.publicKeys())] });
  const { payload } = await compactVerify(signature, keys);
  return JSON.parse(Buffer.from(payload).toString());
}

describe("a signature", () => {
  test("covers the terms of the quote and of its price", async () => {
    const signer = signerOf();
    expect(await termsOf(await signer.sign(QUOTE, PRICE), signer)).toEqual({
      quote_id: "qt_1",
      tenant_id: "ten_1",
      mode: "test",
      amount: 100,
      currency: "BRL",
      payment_method: "pix",
      installments: 1,
      fee_handling: "absorb",
      payer_total: 100,
      payer_currency: "BRL",
      receiver_net: 90,
      receiver_currency: "BRL",
      rule_id: "rule_1",
      rate_micros: null,
      fx_rate_history_id: null,
      expires_at: NOW.getTime() / 1000,
      created_at: NOW.getTime() / 1000,
    });
  });

  test("by a key of another database is not good", async () => {
    const signature = await signerOf(await newEnvironment()).sign(QUOTE, PRICE);
    await expect(termsOf(signature, signerOf())).rejects.toThrow(/no applicable key/);
  });

  test("by either of two keys is good, and both are published", async () => {
    const signature = await signerOf().sign(QUOTE, PRICE);
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
    await environment.pool.query(
      "INSERT INTO signing_key (tenant_id, id, private_jwk, created_at) VALUES ('default', 'sig_0', $1, now())",
      [await exportJWK(privateKey)],
    );
    const both = signerOf();
    const kids = (await both.publicKeys()).map(({ kid }) => kid);
    expect(kids).toEqual(["sig_0", expect.stringMatching(/^sig_[0-9a-z]{26}$/)]);
    for (const one of [signature, await both.sign(QUOTE, PRICE)])
      expect(await termsOf(one, both)).toMatchObject({ quote_id: "qt_1" });
  });
});

describe("the key", () => {
  test("is made once and published without its private part", async () => {
    const keys = await signerOf().publicKeys();
    expect(keys).toEqual([
      {
        kty: "OKP",
        crv: "Ed25519",
        x: expect.stringMatching(/^[\w-]{43}$/),
        kid: expect.stringMatching(/^sig_/),
        alg: "EdDSA",
        use: "sig",
      },
    ]);
    expect(await signerOf().publicKeys()).toEqual(keys);
  });

  test("is one, also if two processes create it at the same time", async () => {
    await Promise.all([environment.pool.query("SELECT 1"), environment.pool.query("SELECT 1")]);
    const both = await Promise.all([signerOf().publicKeys(), signerOf().publicKeys()]);
    expect(new Set(both.flat().map(({ kid }) => kid)).size).toBe(1);
  });

  test("is asked for again after the database failed", async () => {
    const signer = signerOf();
    await environment.pool.query("ALTER TABLE signing_key RENAME TO away");
    await expect(signer.publicKeys()).rejects.toThrow("signing_key");
    await environment.pool.query("ALTER TABLE away RENAME TO signing_key");
    expect(await signer.publicKeys()).toHaveLength(1);
  });
});
