import canonicalize from "canonicalize";
import { compactVerify, CompactSign, exportJWK, generateKeyPair, importJWK, type CryptoKey } from "jose";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import { insert } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { newId } from "../../contract/ids.ts";
import { SigningKey, type PriceValues } from "./entities.ts";
import { DEFAULT_TENANT, listSigningKeys } from "./repository.ts";

/** A public key of a JSON Web Key Set. */
export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  alg: string;
  use: string;
}

/** The signed fields of the quote. The signed fields of the price come from its row. */
export interface SignedQuote {
  readonly id: string;
  readonly tenantId: string;
  readonly mode: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

const ALGORITHM = "EdDSA";

/** Signs the quotes of one mode with its Ed25519 key. The key is created on first use and stored in the database. */
export class QuoteSigner {
  readonly #environment: Environment;
  readonly #clock: Clock;
  #keys: Promise<{ kid: string; key: CryptoKey; publicJwk: PublicJwk }[]> | undefined;

  constructor(environment: Environment, clock: Clock) {
    this.#environment = environment;
    this.#clock = clock;
  }

  /** Returns the compact JWS over the quote's terms. */
  async sign(quote: SignedQuote, price: PriceValues): Promise<string> {
    const [first] = await this.#load();
    if (!first) throw new Error("no signing key");
    return await new CompactSign(Buffer.from(terms(quote, price)))
      .setProtectedHeader({ alg: ALGORITHM, kid: first.kid })
      .sign(first.key);
  }

  /** Returns true if the signature is from a key of this mode and covers exactly these terms. */
  async isGood(signature: string, quote: SignedQuote, price: PriceValues): Promise<boolean> {
    const keys = await this.#load();
    try {
      const { payload } = await compactVerify(signature, async ({ kid }) => {
        const found = keys.find((key) => key.kid === kid);
        if (!found) throw new Error(`no signing key ${kid}`);
        return await importJWK(found.publicJwk, ALGORITHM);
      });
      return Buffer.from(payload).toString() === terms(quote, price);
    } catch {
      return false;
    }
  }

  async publicKeys(): Promise<PublicJwk[]> {
    return (await this.#load()).map(({ publicJwk }) => publicJwk);
  }

  #load(): Promise<{ kid: string; key: CryptoKey; publicJwk: PublicJwk }[]> {
    this.#keys ??= this.#read().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  // Two processes may each create a key at the first use: both are published, so both verify.
  async #read(): Promise<{ kid: string; key: CryptoKey; publicJwk: PublicJwk }[]> {
    let rows = await listSigningKeys(this.#environment);
    if (rows.length === 0) {
      const { privateKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519", extractable: true });
      const privateJwk = (await exportJWK(privateKey)) as Record<string, string>;
      const row = {
        tenantId: DEFAULT_TENANT,
        id: newId("sig"),
        privateJwk,
        createdAt: wholeSecond(this.#clock),
      };
      await this.#environment.committer.commit([insert(SigningKey, row)], NO_ENTRY);
      rows = await listSigningKeys(this.#environment);
    }
    return await Promise.all(
      rows.map(async ({ id: kid, privateJwk }) => {
        const { kty = "", crv = "", x = "" } = privateJwk;
        const key = (await importJWK(privateJwk, ALGORITHM)) as CryptoKey;
        return { kid, key, publicJwk: { kty, crv, x, kid, alg: ALGORITHM, use: "sig" } };
      }),
    );
  }
}

/** Returns the terms as canonical JSON (RFC 8785), with integers as in the API. */
function terms(quote: SignedQuote, price: PriceValues): string {
  return canonicalize({
    quote_id: quote.id,
    tenant_id: quote.tenantId,
    mode: quote.mode,
    amount: Number(price.amountMinor),
    currency: price.currency,
    payment_method: price.method,
    installments: price.installments,
    fee_handling: price.feeHandling,
    payer_total: Number(price.payerTotalMinor),
    payer_currency: price.payerCurrency,
    receiver_net: Number(price.receiverNetMinor),
    receiver_currency: price.receiverCurrency,
    rule_id: price.ruleId,
    rate_micros: price.rateMicros == null ? null : Number(price.rateMicros),
    fx_rate_history_id: price.fxRateHistoryId == null ? null : Number(price.fxRateHistoryId),
    expires_at: quote.expiresAt.getTime() / 1000,
    created_at: quote.createdAt.getTime() / 1000,
  }) as string;
}
