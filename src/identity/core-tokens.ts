import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, notify, update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import { requireMayGive } from "../platform/rpc/grants.ts";
import { namedToken, type NamedToken } from "../platform/rpc/core-access.ts";
import { hashKey } from "./api-key.ts";
import { newCoreToken } from "./core-token.ts";
import { CoreToken } from "./entities.ts";
import { fromModeEnum, toCoreToken } from "./mapping.ts";
import { findCoreToken, findGoodToken, findTenant, listCoreTokens } from "./repository.ts";
import type { IdentityDeps } from "./deps.ts";
import { requireTokenCapacity } from "./tenant-quota.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createCoreToken" | "listCoreTokens" | "revokeCoreToken"
>;

/** The core tokens of internal teams. */
export function coreTokenRpcs(deps: IdentityDeps): Rpcs {
  return {
    createCoreToken: async (request, context) => {
      const { name, permissions, tenantId = null, isGateway } = request;
      await requireMayGive(context, { tenantId: request.tenantId, permissions }, deps.roleOf);
      if (isGateway) requireGateway(context.values.get(namedToken));
      const tenant = tenantId === null ? true : await findTenant(deps.identity, tenantId);
      if (!tenant) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
      const token = newCoreToken();
      const id = newId("ctk");
      const made = insert(CoreToken, {
        id,
        name,
        permissions,
        tokenHash: hashKey(token),
        lastFour: token.slice(-4),
        createdAt: wholeSecond(deps.clock),
        revokedAt: null,
        tenantId,
        mode: request.mode === undefined ? null : fromModeEnum(request.mode),
        isGateway,
      });
      const changes = tenantId === null ? [made] : [made, requireTokenCapacity(tenantId)];
      await deps.identity.committer.commit(changes, auditOf(context)?.entry({ objectId: id }));
      return { id, token };
    },
    listCoreTokens: async () => ({
      coreTokens: (await listCoreTokens(deps.identity)).map(toCoreToken),
    }),
    revokeCoreToken: async ({ id }, context) => {
      const { identity, cache, clock } = deps;
      const token = await findCoreToken(identity, id);
      if (!token) throw new PaylinkError("core_token_not_found", "There is no such core token.");
      if (token.revokedAt) return { coreToken: toCoreToken(token) };
      const revokedAt = wholeSecond(clock);
      const topic = topicOf(token.tokenHash);
      const changes = [update(CoreToken, { id }, { revokedAt }), notify(topic)];
      await identity.committer.commit(changes, auditOf(context)?.entry({ objectId: id }));
      // Other processes get the notification. This one must drop it before it answers.
      cache.drop(topic);
      return { coreToken: toCoreToken({ ...token, revokedAt }) };
    },
  };
}

/** Returns the token with this hex SHA-256, or undefined if it is unknown or revoked. */
export async function findNamedToken(
  { cache, identity }: IdentityDeps,
  tokenHash: string,
): Promise<NamedToken | undefined> {
  return await cache.get(topicOf(tokenHash), () => findGoodToken(identity, tokenHash));
}

/** Only a gateway's token gives another the audit log of a gateway. Error: insufficient_permission. */
function requireGateway(own: NamedToken | undefined): void {
  if (!own || own.isGateway) return;
  const message = "The core token cannot give what it has not: be a gateway's.";
  throw new PaylinkError("insufficient_permission", message);
}

function topicOf(tokenHash: string): string {
  return `core_token:${tokenHash}`;
}
