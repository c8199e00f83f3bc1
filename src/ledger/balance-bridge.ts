import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BalanceBridgeSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import type { Currency } from "../pricing/fee-rule.ts";
import type { Account } from "./postings.ts";
import { trialBalance, type Balance } from "./trial-balance.ts";

/** Where a provider's side of the money is: what came in and did not go back is in these accounts together. */
const OF_PROVIDER = [
  "provider_clearing",
  "provider_receivable",
  "provider_balance",
  "provider_fee",
  "provider_fee.anticipation",
] as const satisfies readonly Account[];

/** Reads how what payers paid became what the merchant has, by currency, from one snapshot of the books. */
export async function balanceBridges(
  { pool }: Environment,
  tenantId: string,
): Promise<MessageInitShape<typeof BalanceBridgeSchema>[]> {
  return await inTransaction(pool, async (client) => {
    await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const sums = await trialBalance({ pool: client }, tenantId, null);
    const { rows } = await client.query<{ currency: Currency; minor: string }>({
      name: "what went back",
      text: `SELECT currency, sum(credit_minor - debit_minor)::text AS minor FROM ledger_line
        WHERE tenant_id = $1 AND account = 'provider_clearing' AND kind IN ('refund', 'return', 'return_reversal')
        GROUP BY currency`,
      values: [tenantId],
    });
    const returned = new Map(rows.map(({ currency, minor }) => [currency, BigInt(minor)]));
    return bridgesOf(sums, returned);
  });
}

/**
 * Returns the bridges from the sums of all accounts, and from what went back of each currency: received - fees - tax -
 * converted - returned = net = pending + available, exactly, as debits equal credits.
 */
function bridgesOf(
  sums: readonly Balance[],
  returned: ReadonlyMap<Currency, bigint>,
): MessageInitShape<typeof BalanceBridgeSchema>[] {
  return [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, accounts]) => {
    const owed = (...names: readonly Account[]): bigint =>
      accounts
        .filter(({ account }) => names.includes(account))
        .reduce((sum, { debitMinor, creditMinor }) => sum + creditMinor - debitMinor, 0n);
    const wentBack = returned.get(currency) ?? 0n;
    return {
      currency,
      received: wentBack - owed(...OF_PROVIDER),
      fees: owed("revenue.service", "revenue.installment"),
      tax: owed("tax_payable.iof"),
      converted: owed("fx_position"),
      returned: wentBack,
      net: owed("merchant_payable", "merchant_available"),
      pending: owed("merchant_payable"),
      available: owed("merchant_available"),
      paidOut: -owed("provider_balance"),
      outstanding: -owed("provider_receivable"),
      providerFees: -owed("provider_fee", "provider_fee.anticipation"),
    };
  });
}
