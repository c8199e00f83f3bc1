import { createHash, randomBytes } from "node:crypto";

const ISPB = "12345678";

/** Makes the bank's ids. They are in order, and never twice the same. */
export class Ids {
  #count = 0;
  // Two banks of one test give different ids.
  readonly #own = randomBytes(3).toString("hex");

  /** Returns the id of money: E, the bank's number, the time, and 11 characters. */
  endToEndId(at: Date): string {
    return `E${ISPB}${minuteText(at)}${this.#next()}`;
  }

  /** Returns the id of money that went back. */
  returnId(at: Date): string {
    return `D${ISPB}${minuteText(at)}${this.#next()}`;
  }

  locationId(): number {
    return ++this.#count;
  }

  #next(): string {
    return this.#own + String(++this.#count).padStart(5, "0");
  }
}

/** Returns the address of a charge for payers' banks, without its scheme. */
export function locationOf(clientId: string, txid: string): string {
  const token = createHash("sha256").update(`${clientId} ${txid}`).digest("hex").slice(0, 32);
  return `pix.example.com/qr/v2/${token}`;
}

function minuteText(at: Date): string {
  return at.toISOString().replaceAll(/\D/g, "").slice(0, 12);
}
