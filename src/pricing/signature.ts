import canonicalize from "canonicalize";
import { CompactSign, exportJWK, generateKeyPair, importJWK, type CryptoKey } from "jose";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert } from "../platform/write/change.ts";
import { wholeSecond, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { inTransaction } from "../platform/db/transaction.ts";
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

interface OwnKey {
  readonly kid: string;
  readonly key: CryptoKey;
  readonly publicJwk: PublicJwk;
}

/** Signs the quotes of one mode with its Ed25519 key. The key is created on first use and stored in the database. */
export class QuoteSigner {
  readonly #environment: Environment;
  readonly #clock: Clock;
  #keys: Promise<OwnKey[]> | undefined;

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

  async publicKeys(): Promise<PublicJwk[]> {
    return (await this.#load()).map(({ publicJwk }) => publicJwk);
  }

  #load(): Promise<OwnKey[]> {
    this.#keys ??= this.#read().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #read(): Promise<OwnKey[]> {
    let rows = await listSigningKeys(this.#environment);
    if (rows.length === 0) {
      await this.#create();
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

  /** Creates a key, unless another process was first. */
  async #create(): Promise<void> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519", extractable: true });
    const privateJwk = (await exportJWK(privateKey)) as Record<string, string>;
    const row = {
      tenantId: DEFAULT_TENANT,
      id: newId("sig"),
      privateJwk,
      createdAt: wholeSecond(this.#clock),
    };
    const { pool, committer } = this.#environment;
    await inTransaction(pool, async (client) => {
      await client.query("LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE");
      const { rows } = await client.query("SELECT FROM signing_key LIMIT 1");
      if (rows.length === 0) await committer.write(client, [insert(SigningKey, row)], NO_ENTRY);
    });
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
