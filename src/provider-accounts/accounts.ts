import { randomBytes } from "node:crypto";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { newId } from "../../contract/ids.ts";
import { ProviderKind, type ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { insertIdOwner } from "../identity/id-owner.ts";
import { insert, insertAll, notify, update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { FindOwner } from "../platform/rpc/call.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Decision } from "../platform/write/decision.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { checkOutsideName } from "../platform/outside/outside-address.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { givenSettings, offeredProviders, registrationFor, registrationOf } from "../providers/registry.ts";
import type { GivenSettings } from "../providers/settings.ts";
import type { OwnSecrets, ReadConfig, StoredConfig } from "../providers/stored-config.ts";
import { requireCapacity } from "./account-quota.ts";
import {
  accountNotFound,
  callbackRoute,
  openConfig,
  sealConfig,
  TOPIC,
  topicOf,
  type AccountsDeps,
} from "./deps.ts";
import { ProviderAccount, ProviderSweep, type AccountRow } from "./entities.ts";
import { toAccount, toProvider } from "./mapping.ts";
import { findAccount, findActive, listAccounts, listSweeps } from "./repository.ts";
import { firstSweeps, unreadDays } from "./sweep-times.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ProvidersService>,
  | "listProviders"
  | "putProviderAccount"
  | "listProviderAccounts"
  | "rotateProviderAccount"
  | "retireProviderAccount"
>;

const SECRET_BYTES = 32;

/** The RPCs that keep a tenant's accounts. */
export function accountRpcs(deps: AccountsDeps): Rpcs {
  const { operations, encryption, clock, providerPolicy, lookup, cache } = deps;
  const keyFiles = semaphoreOf({ total: 16, perKey: 1, waitingPerKey: 64, waitingTotal: 512 });

  async function checkedConfig(
    tenantId: string,
    { profile, kind }: Pick<AccountRow, "profile" | "kind">,
    given: GivenSettings,
    own: OwnSecrets,
    former?: StoredConfig,
  ): Promise<ReadConfig> {
    const { readConfig } = registrationFor(profile, kind);
    const read = await keyFiles.run(
      tenantId,
      async () => await readConfig(profile, given, providerPolicy, own, former),
    );
    for (const { url, use } of read.addresses) await checkOutsideName(url, providerPolicy, lookup, use);
    return read;
  }

  /** Other processes get the notification. This one must drop its cached accounts before it answers. */
  function announced<Request, Response>(
    rpc: (request: Request, context: HandlerContext) => Promise<Response>,
  ): (request: Request, context: HandlerContext) => Promise<Response> {
    return async (request, context) => {
      const response = await rpc(request, context);
      cache.drop(TOPIC);
      return response;
    };
  }

  const findOwner = accountOwner(deps);
  return {
    putProviderAccount: announced(
      operations.write({
        check: (request, { mode }) => {
          if (mode !== "live")
            throw invalidRequest("mode", "Accounts are for live mode: test mode has the sandbox.");
          if (request.kind === ProviderKind.CARD) registrationFor(request.profile, "card");
        },
        decide: async (request, { tenantId, mode, environment }) => {
          const own = newSecrets();
          const { profile } = request;
          const kind = request.kind === ProviderKind.CARD ? "card" : "pix";
          const { config, columns } = await checkedConfig(
            tenantId,
            { profile, kind },
            givenSettings(profile, kind, request),
            own,
          );
          const active = await findActive(environment, tenantId, kind);
          if (active) {
            const message = `The tenant has the active account ${active.id}: rotate or retire it.`;
            throw new PaylinkError("provider_account_exists", message);
          }
          const [id, now] = [newId("pac"), wholeSecond(clock)];
          const row: AccountRow = {
            ...columns,
            tenantId,
            id,
            kind,
            profile,
            label: request.label ?? null,
            sealedConfig: await sealConfig(encryption, { tenantId, id }, config),
            callbackRoute: callbackRoute(own.callbackSecret),
            state: "active",
            revision: 1,
            verifiedAt: null,
            rotatedAt: null,
            retiredAt: null,
            createdAt: now,
            callbacksCheckAt: now,
            callbacksInterruptedAt: null,
            fewCallsAt: null,
          };
          return {
            response: { account: toAccount(row), callbackUrl: `${deps.callbackBase}/${own.callbackSecret}` },
            changes: [
              insert(ProviderAccount, row),
              insertAll(ProviderSweep, firstSweeps(row, now)),
              insertIdOwner(id, tenantId, mode),
              insertIdOwner(row.callbackRoute, tenantId, mode),
              notify(topicOf(tenantId)),
              requireCapacity(tenantId, deps.quotas.providerAccounts),
            ],
            audit: { objectId: id },
          };
        },
      }),
    ),
    listProviders: () => ({ providers: offeredProviders().map(toProvider) }),
    listProviderAccounts: operations.run(async (_request, { tenantId, environment }) => {
      const sweeps = Map.groupBy(await listSweeps(environment, tenantId), ({ accountId }) => accountId);
      const now = wholeSecond(clock);
      return {
        accounts: (await listAccounts(environment, tenantId)).map((row) =>
          toAccount(row, unreadDays(sweeps.get(row.id) ?? [], now)),
        ),
      };
    }),
    rotateProviderAccount: announced(
      operations.write({
        findOwner,
        decide: async ({ id, ...request }, { tenantId, environment }) => {
          const row = await requireAccount(environment, tenantId, id);
          if (row.state === "retired") {
            throw new PaylinkError("provider_account_retired", "The account is retired: put a new one.");
          }
          const given = givenSettings(row.profile, row.kind, request);
          const former = await openConfig(encryption, row);
          given.check();
          registrationOf(row.profile).requireSame?.(former, given);
          const hmacSecret =
            former.callback.kind === "hmac" ? former.callback.secret : newSecrets().hmacSecret;
          const own = { callbackSecret: former.callbackSecret, hmacSecret };
          const { config, columns } = await checkedConfig(tenantId, row, given, own, former);
          const sealedConfig = await sealConfig(encryption, row, config);
          const rotatedAt = wholeSecond(clock);
          return decideUpdate(row, {
            ...columns,
            sealedConfig,
            rotatedAt,
            verifiedAt: null,
            revision: row.revision + 1,
          });
        },
      }),
    ),
    retireProviderAccount: announced(
      operations.write({
        findOwner,
        decide: async ({ id }, { tenantId, environment }) => {
          const row = await requireAccount(environment, tenantId, id);
          if (row.state === "retired") return { response: { account: toAccount(row) }, changes: [] };
          return decideUpdate(row, { state: "retired", retiredAt: wholeSecond(clock) });
        },
      }),
    ),
  };
}

/** Finds tenant and mode of an RPC by its account's id. Error: provider_account_not_found. */
export function accountOwner(deps: AccountsDeps): FindOwner<{ readonly id: string }> {
  return async ({ id }) => {
    const owner = await deps.ownerOf(id);
    if (!owner) throw accountNotFound();
    return owner;
  };
}

/** Error: provider_account_not_found. */
export async function requireAccount(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<AccountRow> {
  const row = await findAccount(environment, tenantId, id);
  if (!row) throw accountNotFound();
  return row;
}

/** Decides a change of an account. The commit fails if its credentials or state were changed meanwhile. */
function decideUpdate(
  row: AccountRow,
  set: Partial<AccountRow>,
): Decision<{ account: ReturnType<typeof toAccount> }> {
  const { tenantId, id, revision, state } = row;
  return {
    response: { account: toAccount({ ...row, ...set }) },
    changes: [update(ProviderAccount, { tenantId, id, revision, state }, set), notify(topicOf(tenantId))],
    audit: { objectId: id },
  };
}

function newSecrets(): OwnSecrets {
  return { callbackSecret: newSecret(), hmacSecret: newSecret() };
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
