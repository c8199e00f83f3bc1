import type { PaymentStatus } from "../ledger/entities.ts";
import { Conditions } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import { isId } from "../../contract/ids.ts";
import type { Cursor } from "../platform/db/keyset-page.ts";
import { CheckoutSession, type CheckoutSessionRow } from "./entities.ts";

/** A session of a list, with the number of its options. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly paymentCount: number;
  readonly optionCount: number;
}

/** A payment started in a session, in its current state. */
export interface SessionPaymentRow {
  readonly sessionId: string;
  readonly id: string;
  readonly status: PaymentStatus;
  readonly failureCode: string | null;
}

/** Returns at most `limit` sessions of a link, newest first, starting after `after` if given. */
export async function listSessions(
  { pool }: Environment,
  tenantId: string,
  linkId: string,
  after: Cursor | undefined,
  limit: number,
): Promise<ListedSession[]> {
  const where = new Conditions().add("s.tenant_id = $ AND s.link_id = $", tenantId, linkId);
  if (after) where.after("s", after);
  const { rows } = await pool.query<Record<keyof ListedSession, string>>(
    `SELECT s.id, date_part('epoch', s.created_at)::text AS "createdAt",
        date_part('epoch', s.expires_at)::text AS "expiresAt", s.payment_count::text AS "paymentCount",
        (SELECT count(*)::text FROM checkout_option o
          WHERE o.tenant_id = s.tenant_id AND o.price_list_id = s.price_list_id) AS "optionCount"
      FROM checkout_session s WHERE ${where.text} ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit}`,
    where.values,
  );
  return rows.map(({ id, createdAt, expiresAt, paymentCount, optionCount }) => ({
    id,
    createdAt: new Date(Number(createdAt) * 1000),
    expiresAt: new Date(Number(expiresAt) * 1000),
    paymentCount: Number(paymentCount),
    optionCount: Number(optionCount),
  }));
}

export async function findSessionCursor(
  { orm }: Environment,
  tenantId: string,
  linkId: string,
  id: string,
): Promise<CheckoutSessionRow | null> {
  return isId("cs", id) ? await orm.em.fork().findOne(CheckoutSession, { tenantId, id, linkId }) : null;
}

/** Returns the payments started in these sessions, the newest of each session first. */
export async function listSessionPayments(
  { pool }: Environment,
  tenantId: string,
  sessionIds: readonly string[],
): Promise<SessionPaymentRow[]> {
  const { rows } = await pool.query<SessionPaymentRow>({
    name: "payments of sessions",
    text: `SELECT c.session_id AS "sessionId", p.id, p.status, p.failure_code AS "failureCode"
      FROM charge c JOIN payment p ON p.tenant_id = c.tenant_id AND p.id = c.payment_id
      WHERE c.tenant_id = $1 AND c.session_id = ANY ($2) ORDER BY c.session_id, c.number DESC`,
    values: [tenantId, sessionIds],
  });
  return rows;
}
