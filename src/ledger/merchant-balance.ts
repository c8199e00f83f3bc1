import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BalanceSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Balance } from "./trial-balance.ts";

/** Returns what a merchant has to get, by currency, from the sums of its accounts: pending and settled. */
export function merchantBalances(sums: readonly Balance[]): MessageInitShape<typeof BalanceSchema>[] {
  const own = sums.filter(
    ({ account }) => account === "merchant_payable" || account === "merchant_available",
  );
  return [...Map.groupBy(own, ({ currency }) => currency)].map(([currency, accounts]) => ({
    currency,
    pending: owed(accounts, "merchant_payable"),
    available: owed(accounts, "merchant_available"),
  }));
}

function owed(accounts: readonly Balance[], name: Balance["account"]): bigint {
  const sums = accounts.find(({ account }) => account === name);
  return sums ? sums.creditMinor - sums.debitMinor : 0n;
}
