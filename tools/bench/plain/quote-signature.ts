import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import canonicalize from "canonicalize";
import { typeid } from "typeid-js";
import { pool, type Caller } from "./context.ts";
import type { Priced } from "./price.ts";

interface SigningKey {
  readonly header: string;
  readonly key: KeyObject;
}

let loaded: Promise<SigningKey> | undefined;

/** Returns a compact JWS over the terms in canonical JSON, with the database's Ed25519 key, as this service signs them. */
export async function signQuote(
  { tenantId, mode }: Caller,
  { id, created, expires }: { readonly id: string; readonly created: number; readonly expires: number },
  { price, amountMinor, currency, feeHandling, rule }: Priced,
): Promise<string> {
  const terms = canonicalize({
    quote_id: id,
    tenant_id: tenantId,
    mode,
    amount: Number(amountMinor),
    currency,
    payment_method: "pix",
    installments: 1,
    fee_handling: feeHandling,
    payer_total: Number(price.payerTotalMinor),
    payer_currency: price.payerCurrency,
    receiver_net: Number(price.receiverNetMinor),
    receiver_currency: price.receiverCurrency,
    rule_id: rule.id,
    rate_micros: null,
    fx_rate_history_id: null,
    expires_at: expires,
    created_at: created,
  }) as string;
  const { header, key } = await (loaded ??= load());
  const signed = `${header}.${Buffer.from(terms).toString("base64url")}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
}

/** Returns the database's key. The first process makes it. */
async function load(): Promise<SigningKey> {
  const text = "SELECT id, private_jwk FROM signing_key ORDER BY id DESC LIMIT 1";
  let [row] = (await pool.query(text)).rows;
  if (!row) {
    const jwk = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
    const values = ["default", typeid("sig").toString(), JSON.stringify(jwk), new Date()];
    await pool.query("INSERT INTO signing_key VALUES ($1, $2, $3, $4)", values);
    [row] = (await pool.query(text)).rows;
  }
  const header = Buffer.from(JSON.stringify({ alg: "EdDSA", kid: row.id })).toString("base64url");
  return { header, key: createPrivateKey({ key: row.private_jwk, format: "jwk" }) };
}
