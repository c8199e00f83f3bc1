import type { ServiceImpl } from "@connectrpc/connect";
import type { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { hold } from "../platform/write/change.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import type { ReceivedIn } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { accountOwner, requireAccount } from "./accounts.ts";
import type { AccountsDeps } from "./deps.ts";
import { ProviderAccount } from "./entities.ts";
import { listSweeps } from "./repository.ts";
import { daysOf, unreadOf } from "./sweep-times.ts";
import type { Sweeps } from "./sweeps.ts";

type Rpcs = Pick<ServiceImpl<typeof ProvidersService>, "sweepProviderAccount">;

// After this time no request of a sweep goes on.
const SWEEP_MS = 120_000;

/** The RPC that reads an account's statements now. */
export function sweepRpcs(deps: AccountsDeps, sweeps: Pick<Sweeps, "run">): Rpcs {
  const { operations } = deps;
  const accounts = semaphoreOf({ total: 16, perKey: 1, waitingPerKey: 64, waitingTotal: 512 });
  return {
    sweepProviderAccount: operations.run(async ({ id }, operation) => {
      const { tenantId, mode, environment } = operation;
      const row = await requireAccount(environment, tenantId, id);
      const signal = AbortSignal.any([operation.context.signal, AbortSignal.timeout(SWEEP_MS)]);
      let [moneyCount, unknownCount] = [0, 0];
      const skipped: ReceivedIn[] = [];
      await accounts.run(`${mode} ${id}`, async () => {
        for (const taken of await listSweeps(environment, tenantId, id)) {
          const swept = await sweeps.run(mode, row, taken, signal).catch((error: unknown) => {
            throw error instanceof ProviderFault ? unavailable(error) : error;
          });
          moneyCount += swept.moneyCount;
          unknownCount += swept.unknownCount;
          skipped.push(...swept.skipped);
        }
      });
      const response = {
        moneyCount: BigInt(moneyCount),
        unknownCount: BigInt(unknownCount),
        unreadDays: daysOf(unreadOf(skipped)),
      };
      const changes = [hold(ProviderAccount, { tenantId, id })];
      return await operations.writeOnce(
        operation,
        async () => await Promise.resolve({ response, changes, audit: { objectId: id } }),
      );
    }, accountOwner(deps)),
  };
}

function unavailable(fault: ProviderFault): PaylinkError {
  return new PaylinkError(
    "service_unavailable",
    `The provider did not answer as it should: ${fault.message}.`,
    null,
    {
      cause: fault,
    },
  );
}
