import { createHmac, hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import type pg from "pg";
import { ConfigError } from "./config.ts";

const KEY_BYTES = 32;
const CHECK = "data_key_check";
const HASHES = "keyed hashes";

/** Encrypts secrets in the database with the data key: JWE, AES-256-GCM. */
export class Encryption {
  readonly #key: Uint8Array;
  #hashKey: Uint8Array | undefined;

  private constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new Error(`a data key has ${KEY_BYTES} bytes`);
    this.#key = key;
  }

  /**
   * Returns the encryption of the database's secrets. The first key ever used is stored as a check. Throws ConfigError
   * if this is another key.
   */
  static async forDatabase(pool: pg.Pool, key: Uint8Array): Promise<Encryption> {
    const encryption = new Encryption(key);
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
        "The data key (DATA_KEY, else data-key in DATA_DIR) must be the one that this database's secrets are encrypted with.";
      throw new ConfigError(message, { cause: error });
    }
    return encryption;
  }

  /** Returns true if the database's check is encrypted with this key. */
  static async fits(key: Uint8Array, encryptedCheck: string): Promise<boolean> {
    return await new Encryption(key).decrypt(encryptedCheck, CHECK).then(
      () => true,
      () => false,
    );
  }

  /** Returns a hash that tells nothing of a text that can be guessed, without the data key. It is of this owner alone. */
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
    const { plaintext, protectedHeader } = await compactDecrypt(encrypted, this.#key);
    if (protectedHeader["owner"] !== owner) throw new Error("encrypted for another owner");
    return new TextDecoder().decode(plaintext);
  }
}
