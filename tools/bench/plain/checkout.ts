import { hash, randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { typeid } from "typeid-js";
import { writeBrCode } from "../../../src/providers/br-code.ts";
import { pool, refusal, settingsOf } from "./context.ts";

import { eventValues, insertEvent } from "./event.ts";
import { landingPage } from "./page.ts";
import { paymentOf, type PaymentRow } from "./payment.ts";
import { priceNow, priceValues, type Priced } from "./price.ts";
import {
  COUNT_PAYMENT,
  HOLD_LINK,
  INSERT_CHARGE,
  INSERT_OPTION,
  INSERT_PAYMENT,
  INSERT_PRICE,
  INSERT_PRICE_LIST,
  INSERT_SANDBOX_CHARGE,
  INSERT_SESSION,
  OPENING,
  PAGE_LINK,
  PREPARE_CHARGE,
  SESSION,
} from "./sale-statements.ts";
import { INSERT_ROUTE } from "./statements.ts";
import { inTransaction } from "./transaction.ts";
import { requireChanged } from "./write-once.ts";

const SESSION_MS = 900_000;
const CHECK_MS = 30_000;
const PAYMENTS_MAX = 10;
const COOKIE_SECONDS = 34_560_000;

/** Adds the payer's page of a link, the form that opens its session, and the form that starts a payment by PIX. */
export function addCheckout(app: FastifyInstance, checkoutBase: string): void {
  app.get("/pay/:link", async (request, reply) => {
    const { link: linkId } = request.params as { link: string };
    const link = await linkOf(linkId);
    const { total } = await priceOf(link);
    const { tenant_name: merchant } = await settingsOf(link.tenant_id);
    const nonces = { script: randomBytes(16).toString("hex"), style: randomBytes(16).toString("hex") };
    protect(reply, nonces);
    return landingPage({
      nonces,
      merchant,
      address: `${checkoutBase}/pay/${linkId}`,
      path: `/pay/${linkId}`,
      product: link.description ?? merchant,
      amountMinor: total,
      expiresAt: link.expires_at,
      pricesVersion: versionOf(total),
    });
  });

  app.post("/pay/:link/sessions", async (request, reply) => {
    const { link: linkId } = request.params as { link: string };
    const { prices: seen } = request.body as { prices?: string };
    const link = await linkOf(linkId);
    const tenantId = link.tenant_id;
    const { priced, priceId, total } = await priceOf(link);
    if (seen !== undefined && seen !== versionOf(total)) throw refusal(409, "prices_changed", "Look again.");
    const fingerprint = fingerprintOf(priced, priceId);
    const now = wholeSecond();
    const opening = [tenantId, linkId, fingerprint, new Date(now.getTime() - SESSION_MS)];
    const [found] = (await pool.query({ name: "opening", text: OPENING, values: opening })).rows;
    if (found.is_full) throw refusal(429, "quota_exceeded", "Too many open sessions.");
    const sessionId = typeid("cs").toString();
    const listId = found.price_list_id ?? typeid("prl").toString();
    const session = [tenantId, sessionId, linkId, listId, 0, endOf(link.expires_at, now), now];
    await inTransaction(pool, async (client) => {
      if (found.price_list_id === null) {
        if (priced) {
          const values = priceValues(tenantId, priced, now);
          await client.query({ name: "insert price", text: INSERT_PRICE, values });
        }
        const list = [tenantId, listId, linkId, fingerprint, now];
        await client.query({ name: "insert price list", text: INSERT_PRICE_LIST, values: list });
        const option = [tenantId, listId, 1, priceId];
        await client.query({ name: "insert option", text: INSERT_OPTION, values: option });
      }
      await client.query({ name: "insert session", text: INSERT_SESSION, values: session });
      return true;
    });
    const path = `/pay/${linkId}`;
    const cookie = `paylink_checkout=${sessionId}; Max-Age=${COOKIE_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax`;
    protect(reply);
    return await reply.header("set-cookie", cookie).redirect(`${path}/${sessionId}`, 303);
  });

  app.post("/pay/:link/:session/payments", async (request, reply) => {
    const { link: linkId, session: sessionId } = request.params as { link: string; session: string };
    const { way } = request.body as { way?: string };
    if (way !== "pix-1") throw refusal(422, "invalid_request", "Not a way to pay.");
    const values = [linkId, sessionId];
    const [found] = (await pool.query({ name: "session", text: SESSION, values })).rows;
    if (!found) throw refusal(404, "checkout_session_not_found", "There is no such session.");
    if (found.payment_id === null) await startPayment(linkId, sessionId, found);
    protect(reply);
    return await reply.redirect(`/pay/${linkId}/${sessionId}`, 303);
  });
}

interface PageLink {
  readonly tenant_id: string;
  readonly status: string;
  readonly amount_minor: string;
  readonly currency: "BRL" | "USD";
  readonly description: string | null;
  readonly fee_handling: "absorb" | "pass_through";
  readonly expires_at: Date | null;
  readonly price_id: string | null;
  readonly payer_total_minor: string | null;
}

async function linkOf(id: string): Promise<PageLink> {
  const { rows } = await pool.query<PageLink>({ name: "page link", text: PAGE_LINK, values: [id] });
  const [link] = rows;
  if (!link) throw refusal(404, "payment_link_not_found", "There is no such link.");
  const isPast = link.expires_at !== null && link.expires_at <= new Date();
  if (link.status !== "active" || isPast) throw refusal(410, "payment_link_closed", "The link is closed.");
  return link;
}

/** Returns the total of a link by PIX: its quote's, or that of now, which is not written yet. */
async function priceOf(link: PageLink): Promise<{ priced?: Priced; priceId: string; total: bigint }> {
  const { price_id: priceId, payer_total_minor: total } = link;
  if (priceId !== null && total !== null) return { priceId, total: BigInt(total) };
  const priced = await priceNow(link.tenant_id, link.amount_minor, link.currency, link.fee_handling);
  return { priced, priceId: priced.id, total: priced.price.payerTotalMinor };
}

function versionOf(total: bigint): string {
  return hash("sha256", JSON.stringify([["pix", 1, `${total}`, ""]]), "base64url");
}

function fingerprintOf(priced: Priced | undefined, priceId: string): string {
  const values = priced ? { ...priced, id: undefined } : priceId;
  const text = JSON.stringify(values, (_key, value: unknown) =>
    typeof value === "bigint" ? `${value}` : value,
  );
  return hash("sha256", text, "base64url");
}

/** Of the price of a PIX payment in BRL, which has no rate. */
type PriceColumn =
  | "method"
  | "installments"
  | "fee_handling"
  | "payer_total_minor"
  | "payer_currency"
  | "total_fee_minor"
  | "pricing_currency"
  | "receiver_net_minor"
  | "receiver_currency";

interface Session extends Pick<PaymentRow, PriceColumn> {
  readonly tenant_id: string;
  readonly status: string;
  readonly link_expires_at: Date | null;
  readonly reference: string | null;
  readonly metadata: PaymentRow["metadata"];
  readonly is_campaign: boolean;
  readonly payment_count: number;
  readonly expires_at: Date;
  readonly price_id: string;
}

/** Writes the payment and its charge, then asks the provider, then writes its code: each outlives a crash after it. */
async function startPayment(linkId: string, sessionId: string, session: Session): Promise<void> {
  const { tenant_id: tenantId, status, payment_count: count, expires_at: expiresAt } = session;
  const now = wholeSecond();
  if (status !== "active") throw refusal(410, "payment_link_closed", "The link is closed.");
  if (expiresAt <= now || count >= PAYMENTS_MAX)
    throw refusal(410, "checkout_session_expired", "The session is over.");
  const id = typeid("pay").toString();
  const reference = id.replace("_", "");
  const kept = JSON.stringify(session.metadata);
  const payment = [
    tenantId,
    id,
    linkId,
    session.price_id,
    "pix",
    "pending",
    !session.is_campaign,
    session.reference,
    kept,
    now,
    null,
  ];
  const pending = paymentOf({
    ...session,
    id,
    link_id: linkId,
    status: "pending",
    failure_code: null,
    created_at: now.getTime() / 1000,
    updated_at: null,
    rate_micros: null,
    fx_rate_history_id: null,
    fx_locked_at: null,
    fx_valid_until: null,
  });
  const event = eventValues({ tenantId, mode: "test" }, "payment.pending", {
    objectId: id,
    reference: session.reference,
    data: { payment: pending },
  });
  const checkAt = new Date(now.getTime() + CHECK_MS);
  const charge = [tenantId, id, sessionId, count + 1, reference, 0, now, expiresAt, checkAt, 0, true];
  await inTransaction(pool, async (client) => {
    const link = [tenantId, linkId, session.link_expires_at];
    requireChanged(await client.query({ name: "hold link", text: HOLD_LINK, values: link }));
    const counted = [tenantId, sessionId, count];
    requireChanged(await client.query({ name: "count payment", text: COUNT_PAYMENT, values: counted }));
    await client.query({ name: "insert payment", text: INSERT_PAYMENT, values: payment });
    await client.query({ name: "insert charge", text: INSERT_CHARGE, values: charge });
    await client.query({ name: "insert route", text: INSERT_ROUTE, values: [reference, tenantId, "test"] });
    await insertEvent(client, event);
    return true;
  });
  const { tenant_name: merchantName } = await settingsOf(tenantId);
  const amountMinor = BigInt(session.payer_total_minor);
  const asked = [tenantId, reference, amountMinor, now];
  await pool.query({ name: "insert sandbox charge", text: INSERT_SANDBOX_CHARGE, values: asked });
  const location = `sandbox.paylink.invalid/pix/${reference}`;
  const code = writeBrCode({ location, amountMinor, merchantName, merchantCity: "SAO PAULO" });
  const values = [tenantId, id, code, checkAt];
  await pool.query({ name: "prepare charge", text: PREPARE_CHARGE, values });
}

function wholeSecond(): Date {
  return new Date(Math.floor(Date.now() / 1000) * 1000);
}

function endOf(linkExpiresAt: Date | null, now: Date): Date {
  const end = new Date(now.getTime() + SESSION_MS);
  return linkExpiresAt !== null && linkExpiresAt < end ? linkExpiresAt : end;
}

/** Sets the headers of this service's pages. */
function protect(reply: FastifyReply, nonces = { script: "", style: "" }): void {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonces.script}'`,
    `style-src 'nonce-${nonces.style}'`,
    "img-src 'self' https:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join(";");
  reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", "no-store");
}
