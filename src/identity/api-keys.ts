import type { ServiceImpl } from "@connectrpc/connect";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { permissionsOfScopes } from "../../contract/scope-permissions.ts";
import { SCOPES } from "../../contract/scopes.ts";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { AuditRow } from "../platform/rpc/audit-entry.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, notify, update, type Change } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { doneAlready, invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { HEADERS } from "../../contract/headers.ts";
import { INVALID_API_KEY } from "../../contract/key-texts.ts";
import { newId } from "../../contract/ids.ts";
import { dateOf, noLaterThanLast, stampOf } from "../platform/time/timestamps.ts";
import { areWithinBounds } from "../platform/rpc/core-access.ts";
import { callerFrom } from "../platform/rpc/caller.ts";
import { requireMayGive } from "../platform/rpc/grants.ts";
import { hashKey, newKey } from "./api-key.ts";
import { ApiKey, type ApiKeyRow } from "./entities.ts";
import { insertIdOwner } from "./id-owner.ts";
import { requireCapacity } from "./key-quota.ts";
import type { KeyUses } from "./key-uses.ts";
import { fromModeEnum, toApiKey, toKey, toModeEnum, type RateLimit } from "./mapping.ts";
import { findKey, findTenant, findKeyOwner, listKeys, type KeyOwner } from "./repository.ts";
import type { IdentityDeps } from "./deps.ts";
import ipaddr from "ipaddr.js";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createApiKey" | "listApiKeys" | "rotateApiKey" | "revokeApiKey" | "authenticateApiKey" | "getKey"
>;

export interface ApiKeyDeps extends IdentityDeps {
  readonly uses: KeyUses;
}

interface NewKey extends Pick<ApiKeyRow, "tenantId" | "name" | "mode" | "scopes" | "addresses"> {
  readonly expiresAt: Date | null;
  readonly submissionId: string | undefined;
}

const OVERLAP_SECONDS = 86_400n;

/** The RPCs of merchants' API keys. */
export function apiKeyRpcs(deps: ApiKeyDeps): Rpcs {
  // Each has hundreds of keys, of one tenant: others have the process in between.
  function createKey({ tenantId, name, mode, scopes, expiresAt, addresses, submissionId }: NewKey) {
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
      createdAt: wholeSecond(deps.clock),
      revokedAt: null,
      lastUsedAt: null,
      submissionId: submissionId ?? null,
      expiresAt,
      addresses,
      replacedBy: null,
    };
    const changes = [
      insert(ApiKey, row),
      insertIdOwner(keyHash, tenantId, mode),
      insertIdOwner(id, tenantId, mode),
    ];
    return { id, key, scopes, expiresAt, changes };
  }

  /** Returns the time in whole seconds, like all stored times. Error: invalid_request on expires_at. */
  function expiryOf(given: Timestamp | undefined): Date | null {
    if (!given) return null;
    const expiresAt = new Date(Math.floor(dateOf(given).getTime() / 1000) * 1000);
    if (expiresAt.getTime() > deps.clock.nowMs()) return expiresAt;
    throw invalidRequest("expires_at", "expires_at must be later than now.");
  }

  /** Errors: invalid_request on id if the key has a successor, done_already if the same submission replaced it. */
  async function requireUnreplaced(
    { replacedBy }: ApiKeyRow,
    submissionId: string | undefined,
  ): Promise<void> {
    if (!replacedBy) return;
    const successor = await findKey(deps.identity, replacedBy);
    if (submissionId !== undefined && successor?.submissionId === submissionId) throw doneAlready();
    throw invalidRequest("id", `The key was replaced by ${replacedBy} already: replace that one instead.`);
  }

  async function find(id: string, tenantId: string | undefined): Promise<ApiKeyRow> {
    if (tenantId !== undefined) await deps.tenants.require(tenantId);
    const key = await findKey(deps.identity, id);
    if (key && (tenantId === undefined || tenantId === key.tenantId)) return key;
    throw keyNotFound();
  }

  /** Returns false, with nothing written, if a unique value is taken or the key was changed meanwhile. */
  async function commit(
    changes: readonly Change[],
    entry: AuditRow | undefined,
    keyHash?: string,
  ): Promise<boolean> {
    const { identity, cache } = deps;
    const topics = keyHash === undefined ? [] : [topicOf(keyHash)];
    const result = await identity.committer.commit([...changes, ...topics.map(notify)], entry);
    // Other processes get the notification. This one must drop it before it answers.
    for (const topic of topics) cache.drop(topic);
    return result === "committed";
  }

  return {
    createApiKey: async (request, context) => {
      await deps.tenants.require(request.tenantId);
      const { tenantId, name, submissionId } = request;
      const scopes = request.scopes.length > 0 ? request.scopes : SCOPES;
      await requireMayGive(context, { tenantId, permissions: permissionsOfScopes(scopes) }, deps.roleOf);
      const made = createKey({
        tenantId,
        name,
        mode: fromModeEnum(request.mode),
        scopes: [...scopes],
        expiresAt: expiryOf(request.expiresAt),
        addresses: readAddresses(request.addresses),
        submissionId,
      });
      const { id, key } = made;
      const entry = auditOf(context)?.entry({ objectId: id });
      const room = requireCapacity(
        "current",
        { tenantId, mode: fromModeEnum(request.mode), addresses: request.addresses },
        deps.quotas.apiKeys,
        wholeSecond(deps.clock),
      );
      if (!(await commit([...made.changes, room], entry))) throw doneAlready();
      return { id, key, scopes: made.scopes };
    },
    listApiKeys: async ({ tenantId }) => {
      await deps.tenants.require(tenantId);
      await deps.uses.flush();
      return { apiKeys: (await listKeys(deps.identity, tenantId, wholeSecond(deps.clock))).map(toApiKey) };
    },
    rotateApiKey: async (request, context) => {
      const { id, tenantId, overlapSeconds = OVERLAP_SECONDS, submissionId } = request;
      const former = await find(id, tenantId);
      const permissions = permissionsOfScopes(former.scopes);
      await requireMayGive(context, { tenantId: former.tenantId, permissions }, deps.roleOf);
      const now = wholeSecond(deps.clock);
      if (former.revokedAt || (former.expiresAt && former.expiresAt <= now)) {
        throw invalidRequest("id", "The key is revoked or has expired: create a new one.");
      }
      await requireUnreplaced(former, submissionId);
      const made = createKey({ ...former, expiresAt: successorExpiry(former, now), submissionId });
      const expiresAt = earliest(former.expiresAt, secondsAfter(now, Number(overlapSeconds)));
      // An earlier release shortens a key's life without recording its successor.
      const unchanged = { expiresAt: former.expiresAt ?? null, revokedAt: null, replacedBy: null };
      const where = { tenantId: former.tenantId, id, ...unchanged };
      const changes = [
        update(ApiKey, where, { expiresAt, replacedBy: made.id }),
        ...made.changes,
        requireCapacity("replaced", former, deps.quotas.apiKeys, now),
      ];
      const entry = auditOf(context)?.entry({
        objectId: id,
        tenantId: former.tenantId,
        mode: former.mode,
        details: { successor: made.id },
      });
      if (!(await commit(changes, entry, former.keyHash))) {
        await requireUnreplaced(await find(id, tenantId), submissionId);
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
    revokeApiKey: async ({ id, tenantId: asked }, context) => {
      const key = await find(id, asked);
      if (key.revokedAt) return { apiKey: toApiKey(key) };
      const revokedAt = wholeSecond(deps.clock);
      const { tenantId, keyHash, mode } = key;
      const entry = auditOf(context)?.entry({ objectId: id, tenantId, mode });
      await commit([update(ApiKey, { tenantId, id }, { revokedAt })], entry, keyHash);
      return { apiKey: toApiKey({ ...key, revokedAt }) };
    },
    getKey: async (_request, { requestHeader }) => {
      const { tenantId, mode, actor = "" } = callerFrom(requestHeader);
      await deps.tenants.require(tenantId);
      const key = await find(actor, tenantId);
      if (key.mode !== mode) throw keyNotFound();
      const tenant = await findTenant(deps.identity, tenantId);
      return { key: toKey(key, tenant?.name ?? "", rateLimitIn(requestHeader)) };
    },
    authenticateApiKey: async ({ keyHash, address }, { values }) => {
      const { cache, identity, clock } = deps;
      const hex = Buffer.from(keyHash).toString("hex");
      const key = await cache.get(topicOf(hex), async () => {
        const owner = await findKeyOwner(identity, hex);
        return owner && heldKey(owner);
      });
      // Every reason gets the same answer: the finder of a key learns nothing about it.
      if (!key || !mayBeUsed(key, clock.nowMs(), address) || !areWithinBounds(values, key)) {
        throw new PaylinkError("invalid_api_key", INVALID_API_KEY);
      }
      deps.tenants.note(key.tenantId);
      deps.uses.note(key);
      return {
        tenantId: key.tenantId,
        mode: toModeEnum(key.mode),
        scopes: [...key.scopes],
        keyId: key.keyId,
      };
    },
  };
}

function keyNotFound(): PaylinkError {
  return new PaylinkError("api_key_not_found", "There is no such API key.");
}

/** Returns what a gateway says of a key's rate limits, or undefined where it has none. */
function rateLimitIn(headers: Headers): RateLimit | undefined {
  const [limit, remaining, resetSeconds] = [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset].map(
    (name) => Number(headers.get(name) ?? Number.NaN),
  );
  const found = { limit, remaining, resetSeconds };
  return Object.values(found).every(isCount) ? (found as RateLimit) : undefined;
}

const isCount = (value: number | undefined): boolean =>
  value !== undefined && value >= 0 && value === (value | 0);

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

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** A key as the cache holds it: its owner, expiry and networks. */
interface HeldKey extends KeyOwner {
  readonly networks: readonly Network[];
}

export function heldKey(owner: KeyOwner): HeldKey {
  return { ...owner, networks: owner.addresses.map(networkOf) };
}

/** Returns true if a key that is not revoked may be used at this time from this address. */
export function mayBeUsed({ expiresAtMs, networks }: HeldKey, nowMs: number, address: string): boolean {
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return false;
  if (networks.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const from = ipaddr.process(address);
  return networks.some(([range, bits]) => from.kind() === range.kind() && from.match(range, bits));
}

/** Returns the addresses in the form that is stored. Error: invalid_request on addresses. */
export function readAddresses(given: readonly string[]): string[] {
  return given.map((text) => {
    const address = text.trim();
    if (!isAddress(address) && !isNetwork(address)) {
      throw invalidRequest(
        "addresses",
        `addresses must be IP addresses or networks such as 203.0.113.0/24: "${text}" is neither.`,
      );
    }
    return address;
  });
}

// ipaddr.js also accepts "127.1" and "0x7f000001", which in such a list are probably mistakes.
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

// IPv4 written as IPv6 is compared as IPv4, so a network of mapped addresses would never match.
function isNetwork(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return true;
  return ipaddr.IPv6.isValidCIDR(text) && ipaddr.IPv6.parseCIDR(text)[0].range() !== "ipv4Mapped";
}

function networkOf(text: string): Network {
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  return ipaddr.parseCIDR(text);
}
