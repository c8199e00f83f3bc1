import type { ServiceImpl } from "@connectrpc/connect";
import type { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { actorName } from "../platform/rpc/actor.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { accountOwner, requireAccount } from "./accounts.ts";
import type { AccountsDeps } from "./deps.ts";
import { UnknownMoney } from "./entities.ts";
import { toUnknownMoney } from "./mapping.ts";
import { findUnknown, listUnknown } from "./unknown-money.ts";

type Rpcs = Pick<ServiceImpl<typeof ProvidersService>, "listUnknownMoney" | "settleUnknownMoney">;

/** The RPCs of money that belongs to no charge. */
export function unknownMoneyRpcs(deps: AccountsDeps): Rpcs {
  const { operations, clock } = deps;
  const ownerOfAccount = accountOwner(deps);
  return {
    listUnknownMoney: operations.run(async ({ isSettled }, { tenantId, environment }) => ({
      money: (await listUnknown(environment, tenantId, isSettled)).map(toUnknownMoney),
    })),
    settleUnknownMoney: operations.write({
      findOwner: async ({ accountId: id }) => await ownerOfAccount({ id }),
      decide: async ({ accountId, endToEndId, note }, { tenantId, environment, context }) => {
        await requireAccount(environment, tenantId, accountId);
        const row = await findUnknown(environment, tenantId, accountId, endToEndId);
        if (!row) {
          const message = "The account has no such unknown money, or a charge has it by now.";
          throw new PaylinkError("unknown_money_not_found", message);
        }
        if (row.settledAt) return { response: { money: toUnknownMoney(row) }, changes: [] };
        const set = { settledAt: wholeSecond(clock), settledBy: actorName(context), settlementNote: note };
        const open = { tenantId, accountId, endToEndId, resolvedAt: null, settledAt: null };
        return {
          response: { money: toUnknownMoney({ ...row, ...set }) },
          changes: [update(UnknownMoney, open, set)],
          audit: { objectId: accountId },
        };
      },
    }),
  };
}
