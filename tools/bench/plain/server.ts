/**
 * What this service is compared with: the routes of a sale, and of reading payments, as one would write them by hand on
 * Fastify and pg, without layers, doing the same work on the same tables. With ONE_STATEMENT a link is made in a single
 * statement, as this service does. With DATA_KEY it sends its events.
 */
import { hash } from "node:crypto";
import formbody from "@fastify/formbody";
import fastify from "fastify";
import { typeid } from "typeid-js";
import { computePrice, isNetPositive } from "../../../src/pricing/price.ts";
import { addCheckout } from "./checkout.ts";
import { authenticate, callers, keyOf, pool, refusal, ruleOf, settingsOf } from "./context.ts";
import { runDeliveries } from "./deliveries.ts";
import { eventValues, linkOf } from "./event.ts";
import { insertInTurn, insertTogether } from "./insert.ts";
import { observe } from "./observe.ts";
import { linkProblem, type LinkBody } from "./link-body.ts";
import { paymentOf, type PaymentRow } from "./payment.ts";
import { addQuotes } from "./quotes.ts";
import { LIST_PAYMENTS, ONE_PAYMENT, REPLAY } from "./statements.ts";
import { addSuccess } from "./success.ts";

const { PORT, DATA_KEY, ONE_STATEMENT, CHECKOUT_BASE = `http://127.0.0.1:${PORT}` } = process.env;
const app = fastify({ logger: false, genReqId: () => typeid("req").toString(), bodyLimit: 65_536 });

observe(app, (request) => callers.get(request));
await app.register(formbody);

app.setErrorHandler((error, request, reply) => {
  const {
    code = "internal_error",
    statusCode = 500,
    param = null,
  } = error as { code?: string; statusCode?: number; param?: string };
  const message = error instanceof Error ? error.message : "";
  return reply.code(statusCode).send({ error: { code, message, param, request_id: request.id } });
});

app.post("/v1/payment_links", async (request, reply) => {
  const caller = await authenticate(request, "payment_links:write");
  const key = keyOf(request);
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
  const id = typeid("pl").toString();
  const columns = {
    id,
    amount_minor: body.amount,
    currency: body.currency,
    payout_currency: payoutCurrency,
    reference: body.reference ?? null,
    payment_methods: methods,
    max_installments: maxInstallments,
    fee_handling: feeHandling,
    description: body.description ?? null,
    product_ref: body.product_ref ?? null,
    details: body.details ?? null,
    product_images: body.product_images ?? [],
    collect_fields: body.collect_fields ?? [],
    metadata: body.metadata ?? {},
    expires_at: expiresIn === 0 ? null : new Date((created + expiresIn) * 1e3),
    created_at: new Date(created * 1e3),
  };
  const link = linkOf(columns, caller.mode, "active", CHECKOUT_BASE);
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
      columns.reference,
      methods,
      maxInstallments,
      feeHandling,
      columns.description,
      columns.product_ref,
      columns.details,
      columns.product_images,
      columns.collect_fields,
      JSON.stringify(columns.metadata),
      columns.expires_at,
      columns.created_at,
    ],
    [id, caller.tenantId, caller.mode],
    eventValues(caller, "link.created", {
      objectId: id,
      reference: columns.reference,
      data: { payment_link: link },
    }),
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

addQuotes(app, CHECKOUT_BASE);
addCheckout(app, CHECKOUT_BASE);
addSuccess(app, CHECKOUT_BASE);
if (DATA_KEY) void runDeliveries(Buffer.from(DATA_KEY, "base64"));
await app.listen({ host: "127.0.0.1", port: Number(PORT) });
