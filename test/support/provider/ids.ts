import { createHash, randomBytes } from "node:crypto";

/** Makes a provider's ids: never twice the same, and in an order. */
export class Ids {
  #count = 0;
  // Two providers of one test give different ids.
  readonly #own = randomBytes(8).toString("hex");

  /** Gives the ids of charges another form: what they are of, and the usual id. */
  form: (of: "payment" | "plan" | "order" | "charge" | "transaction" | "token", usual: string) => string = (
    _of,
    usual,
  ) => usual;

  next(): number {
    return ++this.#count;
  }

  /** Returns so many small letters and digits. */
  token(length: number): string {
    const digest = createHash("sha512").update(`${this.#own} ${this.next()}`).digest("hex");
    return BigInt(`0x1${digest}`)
      .toString(36)
      .slice(1, length + 1);
  }

  uuid(): string {
    const hex = createHash("sha256").update(`${this.#own} ${this.next()}`).digest("hex");
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join("-");
  }
}
