import { table } from "../table.ts";
import { total } from "./figures.ts";
import type { Plan, Result } from "./run.ts";

/** A shorter run need not have each kind of fault, of payer and of money that goes back. */
export const PAYMENTS_OF_EACH = 200;

/** Returns why a run fails: where its figures do not agree, and what should have come and did not. */
export function failuresOf(
  { differences, missing }: Pick<Result, "differences" | "missing">,
  { payments }: Pick<Plan, "payments">,
): string[] {
  const absent = payments < PAYMENTS_OF_EACH ? [] : missing;
  return [...differences, ...absent.map((kind) => `${kind} never came`)];
}

/** Returns the figures of a run: what the bank, the books and the merchant have, and what went wrong on the way. */
export function report({
  bank,
  books,
  merchant,
  faults,
  payers,
  givenBack,
  callbacks,
  requests,
}: Result): string {
  const { successes, exceptions, unknown, refunded, returns } = books;
  const sold = [...successes.values()].reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const told = (type: string): bigint =>
    merchant.events.reduce((sum, event) => sum + (event.type === type ? event.amountMinor : 0n), 0n);
  const count = (type: string): number => merchant.events.filter((event) => event.type === type).length;
  return [
    table(
      ["", "count", "BRL"],
      [
        row("money at the bank", bank.money.size, total(bank.money)),
        row("successes", successes.size, sold),
        row("exceptions", exceptions.size, total(exceptions)),
        row("unknown money", unknown.size, total(unknown)),
        row("returns at the bank", bank.returns.size, total(bank.returns)),
        row("returns in the books", returns.size, total(returns)),
        row("of payments", refunded.size, total(refunded)),
        row("provider_clearing", 1, books.clearingMinor),
        row("payment.succeeded", count("payment.succeeded"), told("payment.succeeded")),
        row("refund.succeeded", count("refund.succeeded"), told("refund.succeeded")),
        row("payment.returned", count("payment.returned"), told("payment.returned")),
      ],
    ),
    `payers: ${listed(payers)}`,
    `given back: ${listed(givenBack)}`,
    `faults: ${listed(faults)}`,
    `requests to the bank: ${requests.length}; its callbacks: ${callbacks.posted}, and ${callbacks.lost} lost`,
  ].join("\n");
}

function row(what: string, count: number, minor: bigint): string[] {
  return [what, String(count), reais(minor)];
}

function reais(minor: bigint): string {
  const digits = minor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function listed(counts: ReadonlyMap<string, number>): string {
  const texts = [...counts].map(([name, times]) => `${name} ${times}`);
  return texts.toSorted((one, other) => one.localeCompare(other)).join(", ");
}
