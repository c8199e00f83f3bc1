import type { ServiceImpl } from "@connectrpc/connect";
import { type Timestamp } from "@bufbuild/protobuf/wkt";
import { SCOPES } from "../../contract/scopes.ts";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { describeChange } from "../platform/audit-trail.ts";
import { insert, notify, update, type Change } from "../platform/change.ts";
import { secondsAfter, wholeSecond } from "../platform/clock.ts";
import { doneAlready, invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { dateOf, noLaterThanLast, stampOf } from "../platform/timestamps.ts";
import { areWithinBounds } from "../platform/token-bounds.ts";
import { hashKey, newKey } from "./api-key.ts";
import { ApiKey, type ApiKeyRow } from "./entities.ts";
import { ownerOf } from "./id-owner.ts";
import { heldKey, mayBeUsed, readAddresses } from "./key-limits.ts";
import { KeyUses } from "./key-uses.ts";
import type { KnownTenants } from "./known-tenants.ts";
import { fromModeEnum, toApiKey, toModeEnum } from "./mapping.ts";
import { findKey, findKeyOwner, listKeys } from "./repository.ts";
import type { IdentityDeps } from "./service.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createApiKey" | "listApiKeys" | "rotateApiKey" | "revokeApiKey" | "authenticateApiKey"
>;

export interface ApiKeyDeps extends IdentityDeps {
  readonly tenants: KnownTenants;
}

interface NewKey extends Pick<ApiKeyRow, "tenantId" | "name" | "mode" | "scopes" | "addresses"> {
  readonly expiresAt: Date | null;
  readonly submissionId: string | undefined;
}

const OVERLAP_SECONDS = 86_400n;

/** The RPCs of merchants' API keys. */
export class ApiKeys {
  readonly #deps: ApiKeyDeps;
  readonly #uses: KeyUses;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
    this.#uses = new KeyUses(deps);
  }

  /** Writes the uses of keys that are not written yet. */
  async close(): Promise<void> {
    await this.#uses.flush();
  }

  readonly rpcs: Rpcs = {
    createApiKey: async (request) => {
      await this.#deps.tenants.require(request.tenantId);
      const { tenantId, name, submissionId } = request;
      const made = this.#newKey({
        tenantId,
        name,
        mode: fromModeEnum(request.mode),
        scopes: request.scopes.length > 0 ? request.scopes : [...SCOPES],
        expiresAt: this.#expiryOf(request.expiresAt),
        addresses: readAddresses(request.addresses),
        submissionId,
      });
      if (!(await this.#commit(made.changes))) throw doneAlready();
      const { id, key, scopes } = made;
      return { id, key, scopes };
    },
    listApiKeys: async ({ tenantId }) => {
      await this.#deps.tenants.require(tenantId);
      await this.#uses.flush();
      return { apiKeys: (await listKeys(this.#deps.identity, tenantId)).map(toApiKey) };
    },
    rotateApiKey: async ({ id, tenantId, overlapSeconds = OVERLAP_SECONDS, submissionId }) => {
      const former = await this.#find(id, tenantId);
      const now = wholeSecond(this.#deps.clock);
      if (former.revokedAt || (former.expiresAt && former.expiresAt <= now)) {
        throw invalidRequest("id", "The key is revoked or has expired: create a new one.");
      }
      await this.#requireUnreplaced(former, submissionId);
      const made = this.#newKey({ ...former, expiresAt: successorExpiry(former, now), submissionId });
      const expiresAt = earliest(former.expiresAt, secondsAfter(now, Number(overlapSeconds)));
      // An earlier release shortens a key's life without recording its successor.
      const unchanged = { expiresAt: former.expiresAt ?? null, revokedAt: null, replacedBy: null };
      const where = { tenantId: former.tenantId, id, ...unchanged };
      describeChange({ mode: former.mode, told: { successor: made.id } });
      const changes = [update(ApiKey, where, { expiresAt, replacedBy: made.id }), ...made.changes];
      if (!(await this.#commit(changes, former.keyHash))) {
        await this.#requireUnreplaced(await this.#find(id, tenantId), submissionId);
        throw doneAlready();
      }
      return {
        id: made.id,
        key: made.key,
        scopes: made.scopes,
        expiresAt: stampOf(made.expiresAt),
        replaced: toApiKey({ ...former, expiresAt, replacedBy: made.id }),
      };
    },
    revokeApiKey: async ({ id, tenantId: ownerId }) => {
      const key = await this.#find(id, ownerId);
      if (key.revokedAt) return { apiKey: toApiKey(key) };
      const revokedAt = wholeSecond(this.#deps.clock);
      const { tenantId, keyHash, mode } = key;
      describeChange({ mode });
      await this.#commit([update(ApiKey, { tenantId, id }, { revokedAt })], keyHash);
      return { apiKey: toApiKey({ ...key, revokedAt }) };
    },
    authenticateApiKey: async ({ keyHash, address }, { values }) => {
      const { cache, identity, clock } = this.#deps;
      const hex = Buffer.from(keyHash).toString("hex");
      const key = await cache.get(topicOf(hex), async () => {
        const owner = await findKeyOwner(identity, hex);
        return owner && heldKey(owner);
      });
      // Every reason gets the same answer: the finder of a key learns nothing about it.
      if (!key || !mayBeUsed(key, clock.nowMs(), address) || !areWithinBounds(values, key)) {
        throw new PaylinkError("invalid_api_key", "The API key is invalid or revoked.");
      }
      this.#deps.tenants.note(key.tenantId);
      this.#uses.note(key);
      return { tenantId: key.tenantId, mode: toModeEnum(key.mode), scopes: [...key.scopes] };
    },
  };

  #newKey({ tenantId, name, mode, scopes, expiresAt, addresses, submissionId }: NewKey) {
    const key = newKey(mode);
    const [id, keyHash] = [newId("key"), hashKey(key)];
    const row = {
      tenantId,
      id,
      name,
      mode,
      scopes,
      keyHash,
      lastFour: key.slice(-4),
      createdAt: wholeSecond(this.#deps.clock),
      revokedAt: null,
      lastUsedAt: null,
      submissionId: submissionId ?? null,
      expiresAt,
      addresses,
      replacedBy: null,
    };
    const changes = [insert(ApiKey, row), ownerOf(keyHash, tenantId, mode), ownerOf(id, tenantId, mode)];
    return { id, key, scopes, expiresAt, changes };
  }

  /** Returns the time in whole seconds, like all stored times. Error: invalid_request on expires_at. */
  #expiryOf(given: Timestamp | undefined): Date | null {
    if (!given) return null;
    const expiresAt = new Date(Math.floor(dateOf(given).getTime() / 1000) * 1000);
    if (expiresAt.getTime() > this.#deps.clock.nowMs()) return expiresAt;
    throw invalidRequest("expires_at", "expires_at must be later than now.");
  }

  /** Errors: invalid_request on id if the key has a successor, done_already if the same submission replaced it. */
  async #requireUnreplaced({ replacedBy }: ApiKeyRow, submissionId: string | undefined): Promise<void> {
    if (!replacedBy) return;
    const successor = await findKey(this.#deps.identity, replacedBy);
    if (submissionId !== undefined && successor?.submissionId === submissionId) throw doneAlready();
    throw invalidRequest("id", `The key was replaced by ${replacedBy} already: replace that one instead.`);
  }

  async #find(id: string, tenantId: string | undefined): Promise<ApiKeyRow> {
    if (tenantId !== undefined) await this.#deps.tenants.require(tenantId);
    const key = await findKey(this.#deps.identity, id);
    if (key && (tenantId === undefined || tenantId === key.tenantId)) return key;
    throw new PaylinkError("api_key_not_found", "There is no such API key.");
  }

  /** Returns false, with nothing written, if a unique value is taken or the key was changed meanwhile. */
  async #commit(changes: readonly Change[], keyHash?: string): Promise<boolean> {
    const { identity, cache } = this.#deps;
    const topics = keyHash === undefined ? [] : [topicOf(keyHash)];
    const result = await identity.committer.commit([...changes, ...topics.map(notify)], null);
    // Other processes get the notification. This one must drop it before it answers.
    for (const topic of topics) cache.drop(topic);
    return result === "committed";
  }
}

/** Returns the successor's expiry: the same lifetime as the former key's, or null if that never expires. */
function successorExpiry({ createdAt, expiresAt }: ApiKeyRow, now: Date): Date | null {
  if (!expiresAt) return null;
  return noLaterThanLast(new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime()));
}

function earliest(one: Date | null | undefined, other: Date): Date {
  return one && one < other ? one : other;
}

function topicOf(keyHash: string): string {
  return `api_key:${keyHash}`;
}
