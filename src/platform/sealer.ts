import { CompactEncrypt, compactDecrypt } from "jose";

const KEY_BYTES = 32;

/** Keeps secrets in the database unreadable without the data key: JWE, AES-256-GCM. */
export class Sealer {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new Error(`a data key has ${KEY_BYTES} bytes`);
    this.#key = key;
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
