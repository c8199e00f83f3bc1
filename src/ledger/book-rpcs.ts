import type { ServiceImpl } from "@connectrpc/connect";
import type { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, notify } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { noSuch } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { openPeriodOf } from "../platform/time/period.ts";
import { balanceBridges } from "./balance-bridge.ts";
import { findBalanceTransactionId, listBalanceTransactions } from "./balance-transactions.ts";
import { checkBooks, entriesOf } from "./books.ts";
import { merchantBalances } from "./merchant-balance.ts";
import { newOverride } from "./business-days.ts";
import { BusinessDayOverride } from "./entities.ts";
import { toAccountBalance, toLedgerEntry } from "./mapping.ts";
import { LIMIT_DEFAULT } from "./payment-page.ts";
import { dueDays, settledDays } from "./settlement-days.ts";
import { findPricedPayment } from "./repository.ts";
import { trialBalance } from "./trial-balance.ts";
import type { LedgerDeps } from "./deps.ts";

type Rpcs = Pick<
  ServiceImpl<typeof LedgerService>,
  | "getBalance"
  | "getBalanceBridge"
  | "listBalanceTransactions"
  | "listSettlementDays"
  | "getTrialBalance"
  | "listLedgerEntries"
  | "checkLedger"
  | "putBusinessDay"
>;

/** The RPCs that read and check the books, and the one for the settlement calendar. */
export function bookRpcs({
  operations,
  environments,
  clock,
}: Pick<LedgerDeps, "operations" | "environments" | "clock">): Rpcs {
  return {
    getBalance: operations.run(async (_request, { tenantId, environment }) => ({
      balances: merchantBalances(await trialBalance(environment, tenantId, null)),
    })),
    listBalanceTransactions: operations.run(async (request, { tenantId, environment }) => {
      const { paymentId, startingAfter, limit = LIMIT_DEFAULT } = request;
      const filter = { tenantId, period: openPeriodOf(request.from, request.to), paymentId };
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of a balance transaction",
        find: (id) => findBalanceTransactionId(environment, tenantId, id),
        read: (after, rowCount) => listBalanceTransactions(environment, filter, rowCount, after),
      });
      return { data: rows.map(({ transaction }) => transaction), hasMore, nextCursor };
    }),
    getBalanceBridge: operations.run(async (_request, { tenantId, environment }) => ({
      bridges: await balanceBridges(environment, tenantId),
    })),
    listSettlementDays: operations.run(async ({ from }, { tenantId, environment }) => {
      const [due, settled] = await Promise.all([
        dueDays(environment, tenantId),
        settledDays(environment, tenantId, from),
      ]);
      return { due, settled };
    }),
    getTrialBalance: operations.run(async ({ currency }, { tenantId, environment }) => ({
      balances: (await trialBalance(environment, tenantId, currency ?? null)).map(toAccountBalance),
    })),
    listLedgerEntries: operations.run(async ({ paymentId }, { tenantId, environment }) => {
      const payment = isId("pay", paymentId)
        ? await findPricedPayment(environment, tenantId, paymentId)
        : undefined;
      if (!payment) throw noSuch("payment_not_found", "payment");
      const entries = await entriesOf(environment, tenantId, paymentId);
      return { entries: entries.map((entry) => toLedgerEntry(paymentId, entry)) };
    }),
    checkLedger: async ({ mode }) => await checkBooks(environments[fromModeEnum(mode)]),
    putBusinessDay: async ({ mode, ...override }, context) => {
      const row = newOverride(override, wholeSecond(clock));
      const { committer } = environments[fromModeEnum(mode)];
      const entry = auditOf(context)?.entry({ objectId: row.id });
      await committer.commit(
        [insert(BusinessDayOverride, row), notify(`pricing:${fromModeEnum(mode)}`)],
        entry,
      );
      return {};
    },
  };
}
