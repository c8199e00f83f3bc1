import fc from "fast-check";
import { expect, test } from "vitest";
import { randomPayments } from "../support/bulk-payments.ts";
import { randomFor } from "../support/seed.ts";

const log = (name: string, value: unknown): void => console.info(`${name}: ${JSON.stringify(value)}`);

test("of a property", () => {
  const seen: number[] = [];
  const property = fc.property(fc.nat(), (number) => {
    seen.push(number);
    expect(number).toBeLessThan(1000);
  });
  try {
    fc.assert(property);
  } finally {
    log("property", seen);
  }
});

test("of numbers and payments", () => {
  const random = randomFor("numbers");
  log("numbers", [random.integer(0, 999_999), random.integer(0, 999_999)]);
  const [from, until] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-04T03:00:00Z")];
  const payments = randomPayments(3, from, until);
  log(
    "payments",
    payments.map(({ reference, metadata, createdAt }) => [reference, metadata, createdAt]),
  );
  expect(payments).toEqual([]);
});
