import { createHmac, hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt, type CompactDecryptResult } from "jose";
import type pg from "pg";
import { ConfigError } from "../config/config.ts";

const KEY_BYTES = 32;
const CHECK = "data_key_check";
const HASHES = "keyed hashes";

// A compact JWE with a direct key, whose second part is empty, wherever it is in a text.
const ENCRYPTED = /eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+/g;

/** Encrypts secrets in the database with the data key: JWE, AES-256-GCM. Former keys decrypt what they encrypted. */
export class Encryption {
  readonly #key: Uint8Array;
  readonly #formerKeys: readonly Uint8Array[];
  #hashKey: Uint8Array | undefined;

  private constructor(key: Uint8Array, formerKeys: readonly Uint8Array[] = []) {
    for (const { length } of [key, ...formerKeys]) {
      if (length !== KEY_BYTES) throw new Error(`a data key has ${KEY_BYTES} bytes`);
    }
    this.#key = key;
    this.#formerKeys = formerKeys;
  }

  /**
   * Returns the encryption of the database's secrets. A key that was used is stored as a check. Throws ConfigError if it
   * is none of these.
   */
  static async forDatabase(
    pool: pg.Pool,
    key: Uint8Array,
    formerKeys: readonly Uint8Array[] = [],
  ): Promise<Encryption> {
    const encryption = new Encryption(key, formerKeys);
    const encrypted = await encryption.encrypt(CHECK, CHECK);
    await pool.query(`INSERT INTO data_key_check (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      CHECK,
      encrypted,
    ]);
    const { rows } = await pool.query<{ sealed: string }>(`SELECT sealed FROM data_key_check WHERE id = $1`, [
      CHECK,
    ]);
    try {
      await encryption.decrypt(rows[0]?.sealed ?? "", CHECK);
    } catch (error) {
      const message =
        "The data key (DATA_KEY, else data-key in DATA_DIR) must be the one that this database's secrets are encrypted with, or it must be among its former keys.";
      throw new ConfigError(message, { cause: error });
    }
    return encryption;
  }

  /** Returns true if the database's check is encrypted with one of these keys. */
  static async fits(
    [key, ...formerKeys]: readonly [Uint8Array, ...Uint8Array[]],
    encryptedCheck: string,
  ): Promise<boolean> {
    return await new Encryption(key, formerKeys).decrypt(encryptedCheck, CHECK).then(
      () => true,
      () => false,
    );
  }

  /** Returns a hash that says nothing of a text that can be guessed, without the data key. It is of this owner alone. */
  keyedHash(text: string, owner: string): string {
    this.#hashKey ??= new Uint8Array(hkdfSync("sha256", this.#key, "", HASHES, KEY_BYTES));
    return createHmac("sha256", this.#hashKey)
      .update(JSON.stringify([owner, text]))
      .digest("hex");
  }

  /** Encrypts a secret for its owner: it decrypts for no other. */
  async encrypt(text: string, owner: string): Promise<string> {
    return await new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", owner })
      .encrypt(this.#key);
  }

  /** Throws Error if the secret was encrypted for another owner or with another key. */
  async decrypt(encrypted: string, owner: string): Promise<string> {
    const { plaintext, protectedHeader } = await this.#opened(encrypted);
    if (protectedHeader["owner"] !== owner) throw new Error("encrypted for another owner");
    return new TextDecoder().decode(plaintext);
  }

  get formerKeyCount(): number {
    return this.#formerKeys.length;
  }

  /**
   * Returns the text with each secret in it that a former key encrypted encrypted with the present one, for the same owner.
   * Throws Error if a secret was encrypted with an unknown key.
   */
  async withPresentKey(text: string): Promise<string> {
    const parts: string[] = [];
    let end = 0;
    for (const { 0: encrypted, index } of text.matchAll(ENCRYPTED)) {
      parts.push(text.slice(end, index), await this.#withPresentKey(encrypted));
      end = index + encrypted.length;
    }
    return [...parts, text.slice(end)].join("");
  }

  async #withPresentKey(encrypted: string): Promise<string> {
    if (await isOpenedBy(encrypted, this.#key)) return encrypted;
    const { plaintext, protectedHeader } = await this.#opened(encrypted);
    return await this.encrypt(new TextDecoder().decode(plaintext), String(protectedHeader["owner"]));
  }

  async #opened(encrypted: string): Promise<CompactDecryptResult> {
    for (const key of this.#formerKeys) {
      if (await isOpenedBy(encrypted, key)) return await compactDecrypt(encrypted, key);
    }
    return await compactDecrypt(encrypted, this.#key);
  }
}

async function isOpenedBy(encrypted: string, key: Uint8Array): Promise<boolean> {
  return await compactDecrypt(encrypted, key).then(
    () => true,
    () => false,
  );
}
