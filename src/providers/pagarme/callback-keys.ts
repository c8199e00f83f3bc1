import { createPublicKey, verify, type KeyObject } from "node:crypto";
import type { Fields } from "../answer-fields.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { isQuickKey, readPublicKey } from "../../platform/outside/public-key.ts";
import { readSignature, type Signature } from "./signature.ts";

// What a verification costs grows with the key.
const BITS = { least: 2048, most: 8192 };
const KEYS_MAX = 20;
const KEPT_MS = 3_600_000;
// A signature of an unknown key may be of a new one, or a forgery.
const ASKED_AGAIN_MS = 60_000;

/** Returns the key, or undefined if it is no RSA key of a usual size with an exponent of at most 32 bits. */
export function readCallbackKey(pem: string): KeyObject | undefined {
  return rsaKey(() => readPublicKey(pem));
}

/** The keys with which a provider signs its callbacks: the one that the account names, or those that are published. */
export class CallbackKeys {
  readonly #own: KeyObject | undefined;
  readonly #isPublished: boolean;
  readonly #clock: Clock;
  readonly #ask: () => Promise<Fields[]>;
  #published: ReadonlyMap<string, KeyObject> = new Map();
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(pem: string | null, clock: Clock, ask: () => Promise<Fields[]>) {
    this.#isPublished = pem === null;
    this.#own = pem === null ? undefined : readCallbackKey(pem);
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Returns true if a header has a right signature of the body. Throws ProviderFault if the keys cannot be read. */
  async isSigned(header: string, body: Uint8Array): Promise<boolean> {
    const signature = readSignature(header);
    if (!signature) return false;
    const key = this.#isPublished ? await this.#publishedKey(signature) : this.#own;
    return key !== undefined && verify("sha256", body, key, signature.bytes);
  }

  /** Reads the published keys now. Returns their number, or 1 for the account's own. Throws ProviderFault. */
  async read(): Promise<number> {
    if (!this.#isPublished) return this.#own ? 1 : 0;
    await this.#readOnce();
    return this.#published.size;
  }

  async #publishedKey({ keyId }: Signature): Promise<KeyObject | undefined> {
    const age = this.#clock.nowMs() - this.#askedMs;
    const known = this.#published.get(keyId);
    if (known && age < KEPT_MS) return known;
    if (!known && age < ASKED_AGAIN_MS && this.#published.size > 0) return undefined;
    await this.#readOnce();
    return this.#published.get(keyId);
  }

  async #readOnce(): Promise<void> {
    this.#asking ??= this.#readAll().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #readAll(): Promise<void> {
    const rows = await this.#ask();
    const keys = rows.slice(0, KEYS_MAX).flatMap(({ kid, use = "sig", alg = "RS256", ...jwk }) => {
      const key = rsaKey(() => createPublicKey({ key: jwk, format: "jwk" }));
      return typeof kid === "string" && use === "sig" && alg === "RS256" && key ? [[kid, key] as const] : [];
    });
    this.#published = new Map(keys);
    this.#askedMs = this.#clock.nowMs();
  }
}

function rsaKey(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read();
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    const isFit = key.asymmetricKeyType === "rsa" && bits >= BITS.least && isQuickKey(key, BITS.most);
    return isFit ? key : undefined;
  } catch {
    return undefined;
  }
}
