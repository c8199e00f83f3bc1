import type { ServiceImpl } from "@connectrpc/connect";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import { insert } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { isId } from "../../contract/ids.ts";
import { checkBooks, entriesOf, trialBalance } from "./books.ts";
import { newOverride } from "./business-days.ts";
import { BusinessDayOverride } from "./entities.ts";
import { toAccountBalance, toLedgerEntry } from "./mapping.ts";
import { findPricedPayment } from "./repository.ts";
import type { LedgerDeps } from "./service.ts";

type Rpcs = Pick<
  ServiceImpl<typeof LedgerService>,
  "getTrialBalance" | "listLedgerEntries" | "checkLedger" | "putBusinessDay"
>;

/** The RPCs that read and check the books, and the one for the settlement calendar. */
export function bookRpcs({
  operations,
  environments,
  clock,
}: Pick<LedgerDeps, "operations" | "environments" | "clock">): Rpcs {
  const { method } = LedgerService;
  return {
    getTrialBalance: operations.run(
      method.getTrialBalance,
      async ({ currency }, { tenantId }, environment) => ({
        balances: (await trialBalance(environment, tenantId, currency ?? null)).map(toAccountBalance),
      }),
    ),
    listLedgerEntries: operations.run(
      method.listLedgerEntries,
      async ({ paymentId }, { tenantId }, environment) => {
        const payment = isId("pay", paymentId)
          ? await findPricedPayment(environment, tenantId, paymentId)
          : undefined;
        if (!payment) throw new PaylinkError("payment_not_found", "There is no such payment.");
        const entries = await entriesOf(environment, tenantId, paymentId);
        return { entries: entries.map((entry) => toLedgerEntry(paymentId, entry)) };
      },
    ),
    checkLedger: async ({ mode }) => await checkBooks(environments[fromModeEnum(mode)]),
    putBusinessDay: async ({ mode, ...override }) => {
      const row = newOverride(override, wholeSecond(clock));
      const { committer } = environments[fromModeEnum(mode)];
      await committer.commit([insert(BusinessDayOverride, row)], null);
      return {};
    },
  };
}
