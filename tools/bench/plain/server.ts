/**
 * What this service is compared with: three routes as one would write them by hand on Fastify and pg, without layers,
 * doing the same work on the same tables. With ONE_STATEMENT a link is made in a single statement, as this service does.
 */
import { hash } from "node:crypto";
import fastify, { type FastifyRequest } from "fastify";
import pg from "pg";
import { typeid } from "typeid-js";
import { computePrice, isNetPositive } from "../../../src/pricing/price.ts";
import { insertInTurn, insertTogether } from "./insert.ts";
import { observe } from "./observe.ts";
import { linkProblem, type LinkBody } from "./link-body.ts";
import { paymentOf, type PaymentRow } from "./payment.ts";
import { KEY_OWNER, LIST_PAYMENTS, ONE_PAYMENT, REPLAY, RULE, SETTINGS } from "./statements.ts";

const { DATABASE_URL, PORT, ONE_STATEMENT, CHECKOUT_BASE = "http://127.0.0.1:8080" } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, options: "-c search_path=test,identity", max: 8 });
const app = fastify({ logger: false, genReqId: () => typeid("req").toString(), bodyLimit: 65_536 });

interface Caller {
  tenantId: string;
  mode: string;
  scopes: string[];
}

const callers = new WeakMap<object, Caller>();
observe(app, (request) => callers.get(request));

// Ours caches keys, settings and rules until they change: so does the baseline, without notices of changes.
const owners = new Map<string, Caller>();
const settings = new Map<string, { max_installments: number; id: string; payout_currency: "BRL" | "USD" }>();
const rules = new Map<string, Parameters<typeof computePrice>[0]["rule"]>();

app.setErrorHandler((error, request, reply) => {
  const {
    code = "internal_error",
    statusCode = 500,
    param = null,
  } = error as { code?: string; statusCode?: number; param?: string };
  const message = error instanceof Error ? error.message : "";
  return reply.code(statusCode).send({ error: { code, message, param, request_id: request.id } });
});

function refusal(statusCode: number, code: string, message: string, param: string | null = null): Error {
  return Object.assign(new Error(message), { statusCode, code, param });
}

async function authenticate(request: FastifyRequest, scope: string): Promise<Caller> {
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

async function settingsOf(tenantId: string) {
  let found = settings.get(tenantId);
  if (!found) {
    [found] = (await pool.query({ name: "settings", text: SETTINGS, values: [tenantId] })).rows;
    if (!found) throw refusal(400, "invalid_request", "No single active legal entity.");
    settings.set(tenantId, found);
  }
  return found;
}

async function ruleOf(method: string, currency: string) {
  const key = `${method} ${currency}`;
  let rule = rules.get(key);
  if (!rule) {
    const [row] = (await pool.query({ name: "rule", text: RULE, values: [method, currency] })).rows;
    if (!row) throw refusal(400, "payment_method_unsupported", "Not offered.", "payment_methods");
    rule = {
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

app.post("/v1/payment_links", async (request, reply) => {
  const caller = await authenticate(request, "payment_links:write");
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "")
    throw refusal(400, "missing_idempotency_key", "Send the header.");
  if (key.length > 255) throw refusal(400, "invalid_idempotency_key", "Too long.");
  const body = request.body as LinkBody;
  const problem = linkProblem(body);
  if (problem) throw refusal(400, problem.code, "Not valid.", problem.param);
  reply.header("x-request-id", request.id);
  const fingerprint = hash("sha256", `POST /v1/payment_links ${JSON.stringify(body)}`, "buffer");
  const {
    id: legalEntityId,
    payout_currency: payoutCurrency,
    max_installments,
  } = await settingsOf(caller.tenantId);
  const methods = body.payment_methods ?? ["pix"];
  const feeHandling = body.fee_handling ?? "absorb";
  const maxInstallments = body.max_installments ?? Math.min(12, max_installments);
  for (const method of methods) {
    const rule = await ruleOf(method, "BRL");
    for (let installments = 1; installments <= (method === "card" ? maxInstallments : 1); installments++) {
      const price = computePrice({
        amountMinor: BigInt(body.amount),
        currency: body.currency,
        payoutCurrency,
        method,
        installments,
        feeHandling,
        rule,
        rateMicros: null,
        iof: { ppm: 0n, enabled: false },
      });
      if (!isNetPositive(price)) throw refusal(400, "merchant_net_not_positive", "Too small.");
    }
  }
  const created = Math.floor(Date.now() / 1000);
  const expiresIn = body.expires_in ?? (body.campaign ? 0 : 86_400);
  const expiresAt = expiresIn === 0 ? 0 : created + expiresIn;
  const id = typeid("pl").toString();
  const link = {
    id,
    mode: caller.mode,
    status: "active",
    checkout_url: `${CHECKOUT_BASE}/pay/${id}`,
    amount: body.amount,
    currency: body.currency,
    reference: body.reference ?? null,
    target_currency: payoutCurrency === "USD" || body.currency === "USD" ? "USD" : "BRL",
    charge_currency: "BRL",
    merchant_payout_currency: payoutCurrency,
    payment_methods: methods,
    max_installments: maxInstallments,
    fee_handling: feeHandling,
    expires_at: expiresAt,
    description: body.description ?? null,
    product_ref: body.product_ref ?? null,
    details: body.details ?? null,
    product_images: body.product_images ?? [],
    collect_fields: body.collect_fields ?? [],
    metadata: body.metadata ?? {},
    created,
  };
  const text = JSON.stringify(link);
  const now = new Date();
  const until = new Date(now.getTime() + 86_400_000);
  const isClaimed = await (ONE_STATEMENT ? insertTogether : insertInTurn)(
    pool,
    [caller.tenantId, key, fingerprint, request.id, Buffer.from(text), now, until],
    [
      caller.tenantId,
      id,
      body.campaign ?? false,
      body.amount,
      body.currency,
      payoutCurrency,
      legalEntityId,
      link.reference,
      methods,
      maxInstallments,
      feeHandling,
      link.description,
      link.product_ref,
      link.details,
      link.product_images,
      link.collect_fields,
      JSON.stringify(link.metadata),
      expiresAt === 0 ? null : new Date(expiresAt * 1e3),
      new Date(created * 1e3),
    ],
    [id, caller.tenantId, caller.mode],
  );
  if (!isClaimed) {
    const { rows } = await pool.query({ name: "replay", text: REPLAY, values: [caller.tenantId, key] });
    if (!fingerprint.equals(rows[0].fingerprint))
      throw refusal(409, "idempotency_key_reuse", "Used already.");
    reply.header("idempotent-replay", "true").header("x-request-id", rows[0].request_id);
    return await reply.code(201).type("application/json; charset=utf-8").send(rows[0].response);
  }
  return await reply.code(201).type("application/json; charset=utf-8").send(text);
});

app.get("/v1/payments/:id", async (request, reply) => {
  const caller = await authenticate(request, "payments:read");
  const { id } = request.params as { id: string };
  const values = [caller.tenantId, id];
  const { rows } = await pool.query<PaymentRow>({ name: "payment", text: ONE_PAYMENT, values });
  const [row] = rows;
  if (!row) throw refusal(404, "payment_not_found", "There is no such payment.");
  reply.header("x-request-id", request.id).type("application/json; charset=utf-8");
  return JSON.stringify(paymentOf(row));
});

app.get("/v1/payments", async (request, reply) => {
  const caller = await authenticate(request, "payments:read");
  const { from = "", to = "", limit: asked = "20" } = request.query as Record<string, string>;
  if (!/^\d{4}-\d\d-\d\d$/.test(from)) throw refusal(400, "invalid_request", "Not a date.", "from");
  if (!/^\d{4}-\d\d-\d\d$/.test(to)) throw refusal(400, "invalid_request", "Not a date.", "to");
  const limit = Number(asked);
  if (!/^\d+$/.test(asked) || limit < 1 || limit > 100)
    throw refusal(400, "invalid_request", "Too many.", "limit");
  const start = new Date(`${from}T00:00:00-03:00`);
  const end = new Date(new Date(`${to}T00:00:00-03:00`).getTime() + 86_400_000);
  const values = [caller.tenantId, start, limit + 1, end];
  const { rows } = await pool.query<PaymentRow>({ name: "list payments", text: LIST_PAYMENTS, values });
  const hasMore = rows.length > limit;
  const data = rows.slice(0, limit).map(paymentOf);
  const page = { data, has_more: hasMore, next_cursor: hasMore ? data.at(-1)?.id : null };
  reply.header("x-request-id", request.id).type("application/json; charset=utf-8");
  return JSON.stringify(page);
});

await app.listen({ host: "127.0.0.1", port: Number(PORT) });
