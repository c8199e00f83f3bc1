import { expect, test } from "vitest";
import { chargesOf, stateOf } from "../../src/providers/asaas/charge.ts";
import { fieldsIn } from "../../src/providers/asaas/json.ts";
import { readPayment } from "../../src/providers/asaas/messages.ts";

const payment = (status: string) => {
  const text = `{"id":"pay_1","value":159.90,"status":"${status}","confirmedDate":"2026-11-20","invoiceUrl":"https://a.example/i/1"}`;
  return readPayment(fieldsIn(text) ?? {});
};

test.each([
  ["RECEIVED_IN_CASH", "canceled"],
  ["DUNNING_REQUESTED", "processing"],
  ["DUNNING_RECEIVED", "approved"],
  ["CONFIRMED", "approved"],
  ["PENDING", "challenge"],
])("a payment in %s makes its charge %s", (status, progress) => {
  const [charge] = chargesOf([payment(status)]);
  expect(charge && stateOf([charge], new Date("2026-11-23T15:00:00Z")).progress.status).toBe(progress);
});

test("a payment in a status that is not known cannot be read", () => {
  expect(() => payment("SOMETHING_NEW")).toThrow("cannot be read");
});
