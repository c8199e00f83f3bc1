import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import type { Fields } from "../provider/json.ts";

const SIGNATURE_HEADER = "x-webhook-asymmetric-signature";
export const JWKS_PATH = "/.well-known/jwks.json";

interface Pair {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Signs callbacks with RS256, and shows the keys. */
export class Signing {
  /** "none": no header. "forged": of another key, with a true key's id. "unknown": of a key that is not shown. */
  mode: "right" | "none" | "forged" | "unknown" = "right";
  #pairs: Pair[] = [newPair(1)];

  /** From now on it signs with another key; the former one is shown too, or no longer. */
  rotate({ isFormerShown = true }: { readonly isFormerShown?: boolean } = {}): void {
    const next = newPair(Number(this.#last().kid.slice("hook-key-".length)) + 1);
    this.#pairs = isFormerShown ? [...this.#pairs, next] : [next];
  }

  headers(text: string): Readonly<Record<string, string>> {
    if (this.mode === "none") return {};
    const { kid, privateKey } = this.#last();
    const key = this.mode === "right" ? privateKey : newPair(0).privateKey;
    const signature = sign("sha256", Buffer.from(text), key).toString("base64url");
    const shown = this.mode === "unknown" ? "hook-key-0" : kid;
    return { [SIGNATURE_HEADER]: `alg=RS256; kid=${shown}; signature=${signature}` };
  }

  jwks(): Fields {
    const keys = this.#pairs.map(({ kid, publicKey }) => ({
      ...publicKey.export({ format: "jwk" }),
      kid,
      alg: "RS256",
      use: "sig",
    }));
    return { keys };
  }

  #last(): Pair {
    const last = this.#pairs.at(-1);
    if (!last) throw new Error("there is a key");
    return last;
  }
}

function newPair(number: number): Pair {
  return { kid: `hook-key-${number}`, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
}
