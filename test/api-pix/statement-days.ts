import type { Bank } from "../../tools/bank/bank.ts";
import type { Profile } from "../../src/providers/api-pix/profile.ts";
import type { ApiPixProvider } from "../../src/providers/api-pix/provider.ts";
import { accountAt, connected, NOW, profileOf, testBank, type TestBank } from "./connected.ts";

export const DAY_MS = 86_400_000;

/** A bank with money whose every test has a day of its own, and the statements that are read of it. */
export class StatementDays {
  readonly made: TestBank;
  #day = 0;

  private constructor(made: TestBank) {
    this.made = made;
  }

  static async start(): Promise<StatementDays> {
    return new StatementDays(await testBank());
  }

  get bank(): Bank {
    return this.made.bank;
  }

  adapter(given: Partial<Profile> = {}): ApiPixProvider {
    const profile = { ...profileOf("bacen"), ...given };
    return connected(this.made, { ...accountAt(this.made), profile }).provider;
  }

  newDay(): { from: Date; to: Date } {
    this.#day += 10;
    const after = (days: number): number => NOW.getTime() + days * DAY_MS;
    return { from: new Date(after(this.#day)), to: new Date(after(this.#day + 1) - 1) };
  }

  /** Pays so many seconds after a time, and returns the money's id. */
  pay(from: Date, seconds: number): string {
    const at = new Date(from.getTime() + seconds * 1000);
    return this.bank.payKey(BigInt(seconds + 1), { at }).endToEndId;
  }

  async close(): Promise<void> {
    await this.bank.stop();
  }
}
