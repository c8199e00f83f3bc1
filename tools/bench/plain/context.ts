import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import pg from "pg";
import { computePrice } from "../../../src/pricing/price.ts";
import { KEY_OWNER, RULE, SETTINGS } from "./statements.ts";

const { DATABASE_URL } = process.env;
export const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  options: "-c search_path=test,identity",
  max: 8,
});

export interface Caller {
  tenantId: string;
  mode: string;
  scopes: string[];
}

interface Settings {
  max_installments: number;
  settlement_days: number;
  tenant_name: string;
  id: string;
  payout_currency: "BRL" | "USD";
}

type Rule = Parameters<typeof computePrice>[0]["rule"] & { id: string };

export const callers = new WeakMap<object, Caller>();

// Ours caches keys, settings and rules until they change: so does the baseline, without notices of changes.
const owners = new Map<string, Caller>();
const settings = new Map<string, Settings>();
const rules = new Map<string, Rule>();

export function refusal(
  statusCode: number,
  code: string,
  message: string,
  param: string | null = null,
): Error {
  return Object.assign(new Error(message), { statusCode, code, param });
}

export async function authenticate(request: FastifyRequest, scope: string): Promise<Caller> {
  const key = /^Bearer (svc_(?:test|live)_[\x21-\x7e]+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (!key) throw refusal(401, "invalid_api_key", "The API key is invalid.");
  const keyHash = hash("sha256", key, "hex");
  let caller = owners.get(keyHash);
  if (!caller) {
    const { rows } = await pool.query<Caller>({ name: "key owner", text: KEY_OWNER, values: [keyHash] });
    [caller] = rows;
    if (!caller) throw refusal(401, "invalid_api_key", "The API key is invalid.");
    owners.set(keyHash, caller);
  }
  callers.set(request, caller);
  if (!caller.scopes.includes(scope)) throw refusal(403, "insufficient_scope", "The key lacks the scope.");
  return caller;
}

export async function settingsOf(tenantId: string): Promise<Settings> {
  let found = settings.get(tenantId);
  if (!found) {
    [found] = (await pool.query<Settings>({ name: "settings", text: SETTINGS, values: [tenantId] })).rows;
    if (!found) throw refusal(400, "invalid_request", "No single active legal entity.");
    settings.set(tenantId, found);
  }
  return found;
}

export async function ruleOf(method: string, currency: string): Promise<Rule> {
  const key = `${method} ${currency}`;
  let rule = rules.get(key);
  if (!rule) {
    const [row] = (await pool.query({ name: "rule", text: RULE, values: [method, currency] })).rows;
    if (!row) throw refusal(400, "payment_method_unsupported", "Not offered.", "payment_methods");
    rule = {
      id: row.id,
      percentPpm: BigInt(row.percent_ppm),
      fixedMinor: BigInt(row.fixed_minor),
      minMinor: BigInt(row.min_minor),
      maxMinor: row.max_minor === null ? null : BigInt(row.max_minor),
      surchargePpm: row.surcharge_ppm.map(BigInt),
    };
    rules.set(key, rule);
  }
  return rule;
}

/** Returns the request's idempotency key. */
export function keyOf(request: FastifyRequest): string {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "")
    throw refusal(400, "missing_idempotency_key", "Send the header.");
  if (key.length > 255) throw refusal(400, "invalid_idempotency_key", "Too long.");
  return key;
}
