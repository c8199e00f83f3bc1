import canonicalize from "canonicalize";
import {
  compactVerify,
  CompactSign,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
} from "jose";
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

  /** Returns true if the signature is from a key of this mode and covers exactly these terms. */
  async isGood(signature: string, quote: SignedQuote, price: PriceValues): Promise<boolean> {
    const kid = kidOf(signature);
    const signedWith = kid === undefined ? undefined : await this.#find(kid);
    if (!signedWith) return false;
    try {
      const { payload } = await compactVerify(signature, await importJWK(signedWith.publicJwk, ALGORITHM));
      return Buffer.from(payload).toString() === terms(quote, price);
    } catch {
      return false;
    }
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

  /** The key may be one that another process created after this one had read the keys: they are then read again. */
  async #find(kid: string): Promise<OwnKey | undefined> {
    const known = (await this.#load()).find((key) => key.kid === kid);
    if (known) return known;
    this.#keys = undefined;
    return (await this.#load()).find((key) => key.kid === kid);
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

/** Returns the id of the key in the signature's header, or undefined if the signature cannot be read. */
function kidOf(signature: string): string | undefined {
  try {
    return decodeProtectedHeader(signature).kid;
  } catch {
    return undefined;
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
