import { columnsOf } from "../platform/db/columns.ts";
import type { Environment } from "../platform/db/database.ts";
import { GroupedQuery } from "../platform/db/grouped-query.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { NamedToken } from "../platform/rpc/core-access.ts";
import {
  ApiKey,
  CoreToken,
  LegalEntity,
  IdOwner,
  Tenant,
  type ApiKeyRow,
  type CoreTokenRow,
  type LegalEntityRow,
  type TenantRow,
} from "./entities.ts";

// Any number can be made and revoked.
const REVOKED_TOKENS_MAX = 200;
const ENDED_KEYS_MAX = 200;
// They are for any number of addresses together.
const ENDED_ADDRESSES_MAX = 1000;

/** The owner and limits of a key. */
export interface KeyOwner {
  readonly tenantId: string;
  readonly keyId: string;
  readonly mode: Mode;
  readonly scopes: readonly string[];
  /** The key is refused from this time on; null: it never expires. */
  readonly expiresAtMs: number | null;
  readonly addresses: readonly string[];
}

const OWNER = new GroupedQuery<[tenantId: string, mode: Mode]>({
  name: "owner",
  text: "SELECT tenant_id, mode FROM route WHERE id = $1",
  parameters: ["text"],
});

export async function findTenant(identity: Environment, id: string): Promise<TenantRow | null> {
  return await identity.orm.em.fork().findOne(Tenant, { id });
}

/** Returns the owner of an id that comes without its tenant, or null if it is unknown. */
export async function findOwner(
  { pool }: Environment,
  id: string,
): Promise<{ tenantId: string; mode: Mode } | null> {
  const [owner] = await OWNER.rows(pool, [id]);
  return owner ? { tenantId: owner[0], mode: owner[1] } : null;
}

/** Returns the owner of a key that is not revoked, expired or not, by the hex SHA-256 of its plaintext. */
export async function findKeyOwner(identity: Environment, keyHash: string): Promise<KeyOwner | undefined> {
  const { rows } = await identity.pool.query<KeyOwner>({
    name: "key owner",
    text: `SELECT k.tenant_id AS "tenantId", k.id AS "keyId", k.mode, k.scopes, k.addresses,
        (extract(epoch FROM k.expires_at) * 1000)::float8 AS "expiresAtMs"
      FROM route r
      JOIN api_key k ON k.tenant_id = r.tenant_id AND k.key_hash = r.id
      WHERE r.id = $1 AND k.revoked_at IS NULL`,
    values: [keyHash],
  });
  return rows[0];
}

export async function findKey(identity: Environment, id: string): Promise<ApiKeyRow | null> {
  const em = identity.orm.em.fork();
  const owner = await em.findOne(IdOwner, { id });
  return owner && (await em.findOne(ApiKey, { tenantId: owner.tenantId, id }));
}

/**
 * Returns the keys of a tenant that still work, and of all others the latest ones, oldest first: their number grows without
 * a bound.
 */
export async function listKeys(environment: Environment, tenantId: string, now: Date): Promise<ApiKeyRow[]> {
  const columns = columnsOf(environment, ApiKey, "k", {
    // An array of PostgreSQL's is parsed character by character.
    addresses: "array_to_json(k.addresses)",
    scopes: "array_to_json(k.scopes)",
  });
  const { rows } = await environment.pool.query<Record<string, unknown>>({
    name: "list keys",
    // An index has the condition of keys that work.
    text: `WITH ended AS (
        SELECT id, sum(cardinality(addresses)) OVER (ORDER BY id DESC) AS addresses FROM api_key
        WHERE tenant_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)
        ORDER BY id DESC LIMIT ${ENDED_KEYS_MAX}
      )
      SELECT ${columns} FROM api_key k
      WHERE k.tenant_id = $1 AND k.revoked_at IS NULL AND coalesce(k.expires_at, 'infinity') > $2
      UNION ALL
      SELECT ${columns} FROM api_key k JOIN ended ON ended.id = k.id
      WHERE k.tenant_id = $1 AND ended.addresses <= ${ENDED_ADDRESSES_MAX}`,
    values: [tenantId, now],
  });
  const em = environment.orm.em.fork();
  const keys = rows.map((row) => em.map(ApiKey, row));
  return keys.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

export async function listTenants(identity: Environment): Promise<TenantRow[]> {
  return await identity.orm.em.fork().findAll(Tenant, { orderBy: { id: "asc" } });
}

/** Returns the currencies that the active legal entities of each tenant, or of one, are paid in. */
export async function payoutCurrencies(
  { pool }: Environment,
  tenantId: string | null = null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await pool.query<{ tenantId: string; currencies: string[] }>({
    name: "payout currencies",
    text: `SELECT tenant_id AS "tenantId", array_agg(DISTINCT payout_currency ORDER BY payout_currency) AS currencies
      FROM legal_entity WHERE is_active AND ($1::text IS NULL OR tenant_id = $1) GROUP BY tenant_id`,
    values: [tenantId],
  });
  return new Map(rows.map((row) => [row.tenantId, row.currencies]));
}

/** Returns the tenants that keep payers' details for some days only. */
export async function listPayerRetentions({
  pool,
}: Environment): Promise<{ readonly tenantId: string; readonly days: number }[]> {
  const { rows } = await pool.query<{ tenantId: string; days: number }>({
    name: "list payer retentions",
    text: `SELECT id AS "tenantId", payer_retention_days AS days FROM tenant
      WHERE payer_retention_days > 0 ORDER BY id`,
  });
  return rows;
}

const INACTIVE_LISTED_MAX = 100;

/** Returns a tenant's active legal entities and the latest inactive ones, oldest first. */
export async function listLegalEntities(
  { orm, pool }: Environment,
  tenantId: string,
): Promise<LegalEntityRow[]> {
  const { rows } = await pool.query<Record<string, unknown>>({
    name: "legal entities",
    text: `SELECT * FROM (
        (SELECT * FROM legal_entity WHERE tenant_id = $1 AND is_active)
        UNION ALL
        (SELECT * FROM legal_entity WHERE tenant_id = $1 AND NOT is_active ORDER BY id DESC LIMIT ${INACTIVE_LISTED_MAX})
      ) AS entity ORDER BY id`,
    values: [tenantId],
  });
  const em = orm.em.fork();
  return rows.map((row) => em.map(LegalEntity, row));
}

export async function findLegalEntity(
  identity: Environment,
  tenantId: string,
  id: string,
): Promise<LegalEntityRow | null> {
  return await identity.orm.em.fork().findOne(LegalEntity, { tenantId, id });
}

/** Returns the core token that is not revoked, by the hex SHA-256 of its plaintext. */
export async function findGoodToken(
  { pool }: Environment,
  tokenHash: string,
): Promise<NamedToken | undefined> {
  const { rows } = await pool.query<NamedToken>({
    name: "good core token",
    text: `SELECT id, permissions, tenant_id AS "tenantId", mode, is_gateway AS "isGateway"
      FROM core_token WHERE token_hash = $1 AND revoked_at IS NULL`,
    values: [tokenHash],
  });
  return rows[0];
}

export async function findCoreToken(identity: Environment, id: string): Promise<CoreTokenRow | null> {
  return await identity.orm.em.fork().findOne(CoreToken, { id });
}

export async function listCoreTokens(identity: Environment): Promise<CoreTokenRow[]> {
  const em = identity.orm.em.fork();
  const [good, revoked] = await Promise.all([
    em.find(CoreToken, { revokedAt: null }),
    em.find(CoreToken, { revokedAt: { $ne: null } }, { orderBy: { id: "desc" }, limit: REVOKED_TOKENS_MAX }),
  ]);
  return [...good, ...revoked].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
