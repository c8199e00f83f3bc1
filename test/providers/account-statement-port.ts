import { describe, expect, test } from "vitest";
import {
  LINE_KINDS,
  type AccountStatement,
  type StatementLine,
} from "../../src/providers/account-statement.ts";

/** An account's statement with a provider at its other side, for the tests that every such statement passes. */
export interface PlayedStatement {
  readonly statement: AccountStatement;
  /** The day of São Paulo at the provider. */
  readonly today: () => string;
  readonly nextDay: () => void;
  /** Money comes in today. Returns the provider's own id by which the lines name it. */
  readonly receives: () => Promise<string>;
  /** A part of that money goes back today. Returns its centavos. */
  readonly givesBack: () => Promise<bigint>;
}

const all = async (lines: AsyncIterable<StatementLine>): Promise<StatementLine[]> =>
  await Array.fromAsync(lines);
export const sumOf = (lines: readonly StatementLine[]): bigint =>
  lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
const CAME: ReadonlySet<string> = new Set(["received", "installment"]);
const WENT: ReadonlySet<string> = new Set(["return", "refund", "chargeback"]);

/** The tests that every statement of an account passes. */
export function testAccountStatement(name: string, play: () => Promise<PlayedStatement>): void {
  describe(`${name} as a statement of an account`, () => {
    test("has what came in and what went back on a day, each once, and nothing on a day without", async () => {
      const { statement, today, nextDay, receives, givesBack } = await play();
      nextDay();
      const before = today();
      nextDay();
      const day = today();
      const id = await receives();
      const backMinor = await givesBack();
      nextDay();
      const lines = await all(statement.lines(day));
      expect(lines.filter(({ kind }) => CAME.has(kind))).toMatchObject([
        { providerPaymentId: id, day, currency: "BRL" },
      ]);
      const back = lines.filter(({ kind }) => WENT.has(kind));
      expect([back.length, sumOf(back)]).toEqual([1, -backMinor]);
      const names = lines.map((line) => `${line.kind} ${line.id}`);
      expect(new Set(names).size).toBe(names.length);
      expect(lines.map(({ kind }) => kind).filter((kind) => !LINE_KINDS.includes(kind))).toEqual([]);
      expect(await all(statement.lines(before))).toEqual([]);
      expect(await all(statement.lines(day))).toEqual(lines);
    });

    test("carries: opening and lines are closing, and the next day opens with that", async () => {
      const { statement, today, nextDay, receives, givesBack } = await play();
      await receives();
      const eve = statement.hasToday ? await statement.balance(today()) : undefined;
      nextDay();
      const day = today();
      await receives();
      await givesBack();
      const known = statement.hasToday ? await statement.balance(day) : undefined;
      nextDay();
      await receives();
      const sum = sumOf(await all(statement.lines(day)));
      const [stated, next] = [
        await statement.balance(day),
        await statement.balance(today()).catch(() => null),
      ];
      if (!statement.hasBalance) {
        expect(stated).toEqual({ openingMinor: null, closingMinor: null });
        return;
      }
      // One that says the present balance alone said it on each day.
      const openingMinor = stated.openingMinor ?? eve?.closingMinor ?? null;
      const closingMinor = stated.closingMinor ?? known?.closingMinor ?? null;
      expect([openingMinor, closingMinor]).not.toContain(null);
      expect((openingMinor ?? 0n) + sum).toBe(closingMinor);
      if (next?.openingMinor != null) expect(next.openingMinor).toBe(closingMinor);
    });
  });
}
