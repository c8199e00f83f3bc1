import { Canaries } from "../support/canaries.ts";
import { randomFor } from "../support/seed.ts";

/** Canaries that are numbers of cards, with valid check digits. */
export class CardNumbers extends Canaries {
  readonly #random = randomFor("card numbers");

  /** Returns a number that is nowhere else. */
  card(place: string): string {
    const digits = `4${Array.from({ length: 14 }, () => this.#random.integer(0, 9)).join("")}`;
    const valid = Array.from({ length: 10 }, (_, last) => `${digits}${last}`).find(isValid) ?? "";
    return this.keep(place, valid);
  }
}

/** Checks a number's last digit. */
function isValid(digits: string): boolean {
  const sum = [...digits].reduceRight((total, digit, index) => {
    const doubled = (digits.length - index) % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
