import type { ServiceImpl } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ProvidersService,
  VerifyProviderAccountResponseSchema,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { AsaasClient } from "../providers/asaas/client.ts";
import {
  verifyAccount as verifyAsaas,
  type CallbackAddress,
  type Verification as AsaasVerification,
} from "../providers/asaas/verification.ts";
import { verifyAccount, type Verification } from "../providers/api-pix/verification.ts";
import type { Operation } from "../platform/rpc/call.ts";
import { update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { PagarmeClient } from "../providers/pagarme/client.ts";
import {
  verifyAccount as verifyPagarme,
  type Verification as PagarmeVerification,
} from "../providers/pagarme/verification.ts";
import type { StoredConfig } from "./stored-config.ts";
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

  async function verified(id: string, isRegistered: boolean, operation: Operation): Promise<Response> {
    const { tenantId, environment } = operation;
    let row = await requireAccount(environment, tenantId, id);
    const config = await openConfig(encryption, row);
    const url = callbackAddress(deps.callbackBase, config);
    const { client } = await live.connect(row);
    const ask = async (): Promise<Response> => {
      if (client instanceof PagarmeClient) return pagarmeAnswer(await verifyPagarme(client, url));
      if (!(client instanceof AsaasClient)) {
        return answerOf(await verifyAccount(client, clock, isRegistered ? url : undefined), url);
      }
      const found = await verifyAsaas(client, addressOf(url, config), isRegistered);
      const interruptedAt = await noteQueue(environment, row, found, wholeSecond(clock));
      row = { ...row, callbacksInterruptedAt: interruptedAt };
      return asaasAnswer(found);
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
      async ({ id, isRegistered }, operation) =>
        await accounts.run(
          `${operation.mode} ${id}`,
          async () => await verified(id, isRegistered, operation),
        ),
      accountOwner(deps),
    ),
  };
}

function addressOf(url: string, { callback }: StoredConfig): CallbackAddress {
  return { url, token: "secret" in callback ? callback.secret : "" };
}

function pagarmeAnswer({ isRegistered, isWithoutKeys }: PagarmeVerification): Response {
  const problem = "There is no key of the provider's signatures, so no callback can be proven.";
  return {
    isAccepted: !isWithoutKeys,
    isCallbackRegistered: isRegistered,
    ...(isWithoutKeys ? { problem } : {}),
  };
}

function asaasAnswer({ isRegistered, isInterrupted }: AsaasVerification): Response {
  const problem =
    "The provider has stopped to call back after many failures: verify with --register to go on.";
  return {
    isAccepted: !isInterrupted,
    isCallbackRegistered: isRegistered,
    ...(isInterrupted ? { problem } : {}),
  };
}

function answerOf(
  { missingScopes, registeredUrl: there, clockSkewSeconds }: Verification,
  url: string,
): Response {
  const isAccepted = missingScopes.length === 0;
  return {
    isAccepted,
    missingScopes: [...missingScopes],
    isCallbackRegistered: there === url,
    ...(isAccepted ? {} : { problem: `The provider did not grant ${missingScopes.join(", ")}.` }),
    ...(clockSkewSeconds === null ? {} : { clockSkewSeconds: BigInt(clockSkewSeconds) }),
  };
}
