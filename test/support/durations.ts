import { readFileSync } from "node:fs";

/** Seconds of the files that take long, by their path from the root, as `tools/scripts/write-durations.ts` left them. */
export const SECONDS = JSON.parse(
  readFileSync(new URL("../durations.json", import.meta.url), "utf8"),
) as Readonly<Record<string, number>>;

/** Long files that `npm test` runs all the same, beside `contract/`: what every change must keep. */
const EVERY_CHANGE = [
  // Money and its books.
  "test/checkout/payments.test.ts",
  "test/checkout/payment-exceptions.test.ts",
  "test/checkout/cards.test.ts",
  "test/closes/seals.test.ts",
  "test/ledger/bridge.test.ts",
  "test/ledger/check-ledger.test.ts",
  "test/ledger/posting-properties.test.ts",
  "test/ledger/books.test.ts",
  "test/ledger/refund-postings.test.ts",
  "test/pricing/price-properties.test.ts",
  "test/pricing/preview-prices.test.ts",
  "test/refunds/books.test.ts",
  "test/refunds/refunds.test.ts",
  "test/refunds/returns.test.ts",
  // Idempotency and durability.
  "test/robustness/crash.test.ts",
  "test/robustness/idempotency-races.test.ts",
  // Webhooks.
  "test/webhooks/events.test.ts",
  "test/webhooks/network-safety.test.ts",
  // Providers.
  "test/live-cards/callbacks.test.ts",
  "test/live-cards/lost-answers.test.ts",
  "test/live-cards/outcomes.test.ts",
  "test/live-cards/pagarme-callbacks.test.ts",
  "test/live-cards/pagarme-outcomes.test.ts",
  "test/live-pix/charges.test.ts",
  "test/live-pix/refunds.test.ts",
  "test/provider-accounts/former-accounts.test.ts",
  "test/providers/adapters.test.ts",
  "test/providers/new-provider.test.ts",
  // A payer and a merchant in a browser.
  "test/checkout/browser/journeys.test.ts",
  "test/console/browser/charge-in-a-pocket.test.ts",
  // The books, the provider and the bank agree.
  "test/reconciliation/matching/month-properties.test.ts",
  // The schemas need a clone and buf alone.
  "test/grpc/clone.test.ts",
] as const;

const CONTRACT = "test/contract/";

/** The files that `npm test` leaves to `npm run test:full`. */
export const FULL_ONLY: readonly string[] = Object.keys(SECONDS).filter(
  (path) => !path.startsWith(CONTRACT) && !(EVERY_CHANGE as readonly string[]).includes(path),
);
