import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { insert, notify, update } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { namedToken, type NamedToken } from "../platform/named-token.ts";
import { isAllowed } from "../platform/permission.ts";
import { hashKey } from "./api-key.ts";
import { newCoreToken } from "./core-token.ts";
import { CoreToken } from "./entities.ts";
import { fromModeEnum, toCoreToken } from "./mapping.ts";
import { findCoreToken, findGoodToken, findTenant, listCoreTokens } from "./repository.ts";
import type { IdentityDeps } from "./service.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createCoreToken" | "listCoreTokens" | "revokeCoreToken"
>;

/** The core tokens of internal teams. */
export class CoreTokens {
  readonly #deps: IdentityDeps;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  /** Returns the token with this hex SHA-256, or undefined if it is unknown or revoked. */
  async find(tokenHash: string): Promise<NamedToken | undefined> {
    const { cache, identity } = this.#deps;
    return await cache.get(topicOf(tokenHash), () => findGoodToken(identity, tokenHash));
  }

  readonly rpcs: Rpcs = {
    createCoreToken: async (request, { values }) => {
      const { name, permissions, tenantId = null, isGateway } = request;
      requireNoMore(values.get(namedToken), request);
      const tenant = tenantId === null ? true : await findTenant(this.#deps.identity, tenantId);
      if (!tenant) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
      const token = newCoreToken();
      const id = newId("ctk");
      const made = insert(CoreToken, {
        id,
        name,
        permissions,
        tokenHash: hashKey(token),
        lastFour: token.slice(-4),
        createdAt: wholeSecond(this.#deps.clock),
        revokedAt: null,
        tenantId,
        mode: request.mode === undefined ? null : fromModeEnum(request.mode),
        isGateway,
      });
      await this.#deps.identity.committer.commit([made], null);
      return { id, token };
    },
    listCoreTokens: async () => ({
      coreTokens: (await listCoreTokens(this.#deps.identity)).map(toCoreToken),
    }),
    revokeCoreToken: async ({ id }) => {
      const { identity, cache, clock } = this.#deps;
      const token = await findCoreToken(identity, id);
      if (!token) throw new PaylinkError("core_token_not_found", "There is no such core token.");
      if (token.revokedAt) return { coreToken: toCoreToken(token) };
      const revokedAt = wholeSecond(clock);
      const topic = topicOf(token.tokenHash);
      await identity.committer.commit([update(CoreToken, { id }, { revokedAt }), notify(topic)], null);
      // Other processes get the notification. This one must drop it before it answers.
      cache.drop(topic);
      return { coreToken: toCoreToken({ ...token, revokedAt }) };
    },
  };
}

/**
 * A caller cannot grant more than it has. Its tenant and mode bind its calls in any case. Error:
 * insufficient_permission.
 */
function requireNoMore(
  own: NamedToken | undefined,
  wanted: { readonly permissions: readonly string[]; readonly isGateway: boolean },
): void {
  if (!own) return;
  const lacking = wanted.permissions.find((permission) => !isAllowed(own.permissions, permission));
  if (lacking === undefined && (own.isGateway || !wanted.isGateway)) return;
  const more = lacking ?? "be a gateway's";
  throw new PaylinkError("insufficient_permission", `The core token cannot give what it has not: ${more}.`);
}

function topicOf(tokenHash: string): string {
  return `core_token:${tokenHash}`;
}
