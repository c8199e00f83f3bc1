export const KEY_OWNER = `SELECT k.tenant_id AS "tenantId", k.mode, k.scopes FROM route r
  JOIN api_key k ON k.tenant_id = r.tenant_id AND k.key_hash = r.id WHERE r.id = $1 AND k.revoked_at IS NULL`;

export const SETTINGS = `SELECT t.max_installments, t.settlement_days, t.name AS tenant_name, e.id, e.payout_currency FROM tenant t
  JOIN legal_entity e ON e.tenant_id = t.id AND e.is_active WHERE t.id = $1`;

export const RULE = `SELECT * FROM pricing_rule WHERE tenant_id = 'default' AND method = $1 AND currency = $2
  ORDER BY created_at DESC, id DESC LIMIT 1`;

const CLAIM_INTO = `INSERT INTO idempotency
  (tenant_id, key, fingerprint, request_id, response, created_at, expires_at)`;
const ON_CLAIMED = `ON CONFLICT (tenant_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
    request_id = excluded.request_id, response = excluded.response, error = NULL, created_at = excluded.created_at,
    expires_at = excluded.expires_at
  WHERE idempotency.expires_at <= excluded.created_at`;

export const CLAIM = `${CLAIM_INTO} VALUES ($1, $2, $3, $4, $5, $6, $7) ${ON_CLAIMED}`;

export const REPLAY = `SELECT fingerprint, request_id, response FROM idempotency WHERE tenant_id = $1 AND key = $2`;

const LINK_COLUMNS = `tenant_id, id, status, is_campaign, amount_minor, currency, payout_currency, legal_entity_id,
   reference, payment_methods, max_installments, fee_handling, description, product_ref, details, product_images,
   collect_fields, metadata, expires_at, created_at`;

export const INSERT_LINK = `INSERT INTO payment_link (${LINK_COLUMNS})
  VALUES ($1, $2, 'active', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`;

export const INSERT_ROUTE = `INSERT INTO route (id, tenant_id, mode) VALUES ($1, $2, $3)`;

const EVENT_COLUMNS = "tenant_id, id, type, object_id, reference, body, created_at, is_internal";

export const INSERT_EVENT = `INSERT INTO event (${EVENT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, false)`;

/** The four above as one statement, with the parameters of each after the other. */
export const INSERT_TOGETHER = `WITH
  claim AS (${CLAIM_INTO} VALUES ($1, $2, $3, $4, $5, $6, $7) ${ON_CLAIMED} RETURNING 1),
  link AS (INSERT INTO payment_link (${LINK_COLUMNS})
    SELECT $8, $9, 'active', $10::boolean, $11::bigint, $12, $13, $14, $15, $16::text[], $17::int, $18, $19, $20, $21,
      $22::text[], $23::text[], $24::json, $25::timestamptz, $26::timestamptz FROM claim),
  route AS (INSERT INTO route (id, tenant_id, mode) SELECT $27, $28, $29 FROM claim),
  event AS (INSERT INTO event (${EVENT_COLUMNS})
    SELECT $30, $31, $32, $33, $34, $35::bytea, $36::timestamptz, false FROM claim)
  SELECT count(*)::int AS claimed FROM claim`;

const PAYMENT = `SELECT p.id, p.link_id, p.status, p.failure_code, p.reference, p.metadata,
    floor(extract(epoch from p.created_at))::int AS created_at, floor(extract(epoch from p.updated_at))::int AS updated_at,
    r.method, r.installments, r.fee_handling, r.payer_total_minor, r.payer_currency, r.total_fee_minor,
    r.pricing_currency, r.receiver_net_minor, r.receiver_currency, r.rate_micros, r.fx_rate_history_id,
    floor(extract(epoch from r.fx_locked_at))::int AS fx_locked_at,
    floor(extract(epoch from r.fx_valid_until))::int AS fx_valid_until
  FROM payment p JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id`;

export const ONE_PAYMENT = `${PAYMENT} WHERE p.tenant_id = $1 AND p.id = $2`;

export const LIST_PAYMENTS = `${PAYMENT}
  WHERE p.tenant_id = $1 AND p.created_at >= $2 AND p.created_at < $4
  ORDER BY p.created_at DESC, p.id DESC LIMIT $3`;
