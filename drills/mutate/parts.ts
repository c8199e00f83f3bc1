/** Files that belong together, and the tests that should find what is wrong with them, quickest first. */
export interface Part {
  readonly files: readonly string[];
  readonly tests: readonly string[];
  /** What the files make is kept for the life of the process, so that a mutant has to be there from its start. */
  readonly isKept?: boolean;
}

export const PARTS: Readonly<Record<string, Part>> = {
  pricing: {
    files: [
      "src/pricing/charge-limit.ts",
      "src/pricing/fee-rule.ts",
      "src/pricing/mapping.ts",
      "src/pricing/preview.ts",
      "src/pricing/price-book.ts",
      "src/pricing/price.ts",
      "src/pricing/pricer.ts",
      "src/pricing/quote-status.ts",
      "src/pricing/quoting.ts",
      "src/pricing/rate.ts",
      "src/pricing/repository.ts",
      "src/pricing/rounding.ts",
      "src/pricing/signature.ts",
      "src/pricing/payment-options.ts",
    ],
    tests: [
      "test/pricing/rate.test.ts",
      "test/pricing/fee-rule.test.ts",
      "test/pricing/price-book.test.ts",
      "test/pricing/pricer.test.ts",
      "test/pricing/price-vectors.test.ts",
      "test/pricing/price-properties.test.ts",
      "test/pricing/records.test.ts",
      "test/pricing/signature.test.ts",
      "test/pricing/quoting.test.ts",
      "test/pricing/preview-prices.test.ts",
      "test/pricing/list-quotes.test.ts",
      "test/contract/charge-limits.test.ts",
      "test/contract/quotes.test.ts",
      "test/contract/accept-quote.test.ts",
      "test/checkout/price-lists.test.ts",
      "test/ledger/check-ledger.test.ts",
    ],
  },
  idempotency: {
    files: [
      "src/platform/idempotency.ts",
      "src/platform/operation.ts",
      "src/platform/outcome.ts",
      "src/platform/retention.ts",
    ],
    tests: [
      "test/platform/operation.test.ts",
      "test/platform/retention.test.ts",
      "test/robustness/idempotency.test.ts",
      "test/robustness/idempotency-grpc.test.ts",
      "test/robustness/idempotency-replays.test.ts",
    ],
  },
  commit: {
    files: ["src/platform/change.ts", "src/platform/commit.ts", "src/platform/transaction.ts"],
    tests: [
      "test/platform/claims.test.ts",
      "test/platform/changes.test.ts",
      "test/platform/transaction.test.ts",
      "test/platform/commit.test.ts",
    ],
    isKept: true,
  },
  auth: {
    files: [
      "gateway/authenticate.ts",
      "src/identity/api-key.ts",
      "src/identity/api-keys.ts",
      "src/identity/core-tokens.ts",
      "src/identity/key-limits.ts",
      "src/platform/caller.ts",
      "src/platform/core-access.ts",
      "src/platform/permission.ts",
      "src/platform/token-bounds.ts",
    ],
    tests: [
      "test/platform/caller.test.ts",
      "test/platform/core-access.test.ts",
      "test/identity/key-limits.test.ts",
      "test/gateway/authenticate.test.ts",
      "test/identity/api-keys.test.ts",
      "test/identity/key-races.test.ts",
      "test/grpc/core-tokens.test.ts",
      "test/grpc/named-tokens.test.ts",
      "test/contract/authentication.test.ts",
    ],
  },
  transcode: {
    files: [
      "gateway/transcode/errors.ts",
      "gateway/transcode/exact-number.ts",
      "gateway/transcode/json-reader.ts",
      "gateway/transcode/message-reader.ts",
      "gateway/transcode/message-writer.ts",
      "gateway/transcode/query-reader.ts",
      "gateway/transcode/raw-number.ts",
      "gateway/transcode/route.ts",
    ],
    tests: [
      "test/gateway/transcode/errors.test.ts",
      "test/gateway/transcode/json-reader.test.ts",
      "test/gateway/transcode/message-reader.test.ts",
      "test/gateway/transcode/message-writer.test.ts",
      "test/gateway/transcode/query-reader.test.ts",
      "test/gateway/transcode/route.test.ts",
      "test/gateway/transcode/contract.test.ts",
    ],
  },
  charges: {
    files: [
      "src/checkout/charge-changes.ts",
      "src/checkout/charge-end.ts",
      "src/checkout/charge-state.ts",
      "src/checkout/charges.ts",
      "src/checkout/payments.ts",
      "src/checkout/receipt.ts",
      "src/checkout/start-payment.ts",
    ],
    tests: [
      "test/checkout/charge-end.test.ts",
      "test/checkout/start-payment.test.ts",
      "test/checkout/charges.test.ts",
      "test/checkout/payment-exceptions.test.ts",
      "test/checkout/payments.test.ts",
    ],
  },
  postings: {
    files: ["src/ledger/booking.ts", "src/ledger/books.ts", "src/ledger/bridge.ts", "src/ledger/postings.ts"],
    tests: [
      "test/ledger/postings.test.ts",
      "test/ledger/bridge.test.ts",
      "test/ledger/books.test.ts",
      "test/ledger/check-ledger.test.ts",
    ],
  },
  seals: {
    files: [
      "src/closes/seal-cursor.ts",
      "src/closes/seal-deltas.ts",
      "src/closes/seal-format.ts",
      "src/closes/seal-head.ts",
      "src/closes/sealed-rows.ts",
      "src/closes/sealed-state.ts",
      "src/closes/sealed-tally.ts",
      "src/closes/sealing.ts",
      "src/closes/service.ts",
    ],
    tests: [
      "test/closes/seal-format.test.ts",
      "test/closes/sealed-tally.test.ts",
      "test/closes/seal-places.test.ts",
      "test/closes/seal-pages.test.ts",
      "test/closes/seals.test.ts",
    ],
  },
};
