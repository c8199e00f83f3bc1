import type { ServiceImpl } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ProvidersService,
  VerifyProviderAccountRequest,
  VerifyProviderAccountResponseSchema,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { Operation } from "../platform/rpc/call.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { accountOwner, requireAccount } from "./accounts.ts";
import { noteQueue } from "./callback-queues.ts";
import { callbackAddress, openConfig, type AccountsDeps } from "./deps.ts";
import { ProviderAccount } from "./entities.ts";
import type { LiveProviders } from "./live-providers.ts";
import { toAccount } from "./mapping.ts";

type Rpcs = Pick<ServiceImpl<typeof ProvidersService>, "verifyProviderAccount">;
type Response = MessageInitShape<typeof VerifyProviderAccountResponseSchema>;

/** The RPC that asks a provider about an account. */
export function verifyRpcs(deps: AccountsDeps, live: LiveProviders): Rpcs {
  const { operations, encryption, clock } = deps;
  const accounts = semaphoreOf({ total: 16, perKey: 1, waitingPerKey: 64, waitingTotal: 512 });

  async function verified(
    { id, isRegistered, isReplaced }: VerifyProviderAccountRequest,
    operation: Operation,
  ): Promise<Response> {
    const { tenantId, environment } = operation;
    let row = await requireAccount(environment, tenantId, id);
    const config = await openConfig(encryption, row);
    const url = callbackAddress(deps.callbackBase, config);
    const connected = await live.connect(row);
    const ask = async (): Promise<Response> => {
      const { isInterrupted, ...answer } = await connected.verify(url, isRegistered, isReplaced);
      if (isInterrupted !== undefined) {
        const interruptedAt = await noteQueue(environment, row, isInterrupted, wholeSecond(clock));
        row = { ...row, callbacksInterruptedAt: interruptedAt };
      }
      return answer;
    };
    const answer = await ask().catch((error: unknown): Response => {
      if (error instanceof ProviderFault) return { isAccepted: false, problem: error.message };
      throw error;
    });
    if (!answer.isAccepted) {
      // The address of callbacks may have been set all the same.
      if (isRegistered) await operations.record(operation, { objectId: id });
      return { ...answer, account: toAccount(row) };
    }
    const verifiedAt = wholeSecond(clock);
    return await operations.writeOnce(operation, async () => {
      const { revision } = row;
      const changes = [update(ProviderAccount, { tenantId, id, revision }, { verifiedAt })];
      const response: Response = { ...answer, account: toAccount({ ...row, verifiedAt }) };
      return await Promise.resolve({ response, changes, audit: { objectId: id } });
    });
  }

  return {
    verifyProviderAccount: operations.run(
      async (request, operation) =>
        await accounts.run(`${operation.mode} ${request.id}`, async () => await verified(request, operation)),
      accountOwner(deps),
    ),
  };
}
