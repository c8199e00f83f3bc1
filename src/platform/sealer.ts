import { CompactEncrypt, compactDecrypt } from "jose";
import type pg from "pg";
import { ConfigError } from "./config.ts";

const KEY_BYTES = 32;
const CHECK = "data_key_check";

/** Keeps secrets in the database unreadable without the data key: JWE, AES-256-GCM. */
export class Sealer {
  readonly #key: Uint8Array;

  private constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new Error(`a data key has ${KEY_BYTES} bytes`);
    this.#key = key;
  }

  /**
   * A sealer for the database's secrets; the first one ever decides which key that is.
   * Throws ConfigError when it is another key.
   */
  static async forDatabase(pool: pg.Pool, key: Uint8Array): Promise<Sealer> {
    const sealer = new Sealer(key);
    const sealed = await sealer.seal(CHECK, CHECK);
    await pool.query(`INSERT INTO data_key_check (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      CHECK,
      sealed,
    ]);
    const { rows } = await pool.query<{ sealed: string }>(`SELECT sealed FROM data_key_check WHERE id = $1`, [
      CHECK,
    ]);
    try {
      await sealer.open(rows[0]?.sealed ?? "", CHECK);
    } catch (error) {
      const message =
        "The data key (DATA_KEY, else data-key in DATA_DIR) must be the one that this database's secrets were sealed with.";
      throw new ConfigError(message, { cause: error });
    }
    return sealer;
  }

  /** Whether the database's check was sealed with this key. */
  static async fits(key: Uint8Array, sealedCheck: string): Promise<boolean> {
    return await new Sealer(key).open(sealedCheck, CHECK).then(
      () => true,
      () => false,
    );
  }

  /** `owner` names what the secret belongs to: sealed for one, it opens for no other. */
  async seal(text: string, owner: string): Promise<string> {
    return await new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", owner })
      .encrypt(this.#key);
  }

  /** Throws Error when it was sealed for another owner or with another key. */
  async open(sealed: string, owner: string): Promise<string> {
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, this.#key);
    if (protectedHeader["owner"] !== owner) throw new Error("sealed for another owner");
    return new TextDecoder().decode(plaintext);
  }
}
