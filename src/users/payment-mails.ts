import { languageOr } from "../../contract/messages.ts";
import type { SucceededPayment } from "../ledger/succeeded-payments.ts";
import type { Mails } from "../mail/service.ts";
import { paymentMail } from "../mail/texts.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import type { SucceededOf, UsersDeps } from "./deps.ts";

interface Reader {
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
  readonly language: string | null;
  readonly tenantName: string;
  /** Unix seconds, as `lookedAt`. */
  readonly since: number;
  readonly lookedAt: number;
}

type Deps = UsersDeps & { readonly mails: Mails };

const BATCH = 20;
const PAYMENTS_MAX = 100;
const LOOK_SECONDS = 5;
/** A process that ends meanwhile leaves its readers to the next one after this time. */
const LEASE_SECONDS = 5 * 60;
/** A payment has the time at which it was decided, and is seen when it is committed: never so much later. */
const OVERLAP_SECONDS = 10 * 60;
/** An e-mail that a server does not take for a day is no news. */
const LIFE_SECONDS = 24 * 60 * 60;

/**
 * Writes an e-mail of each payment that succeeded, to each user who wishes it, with the note that it is written, in one
 * transaction: a crash neither loses nor repeats one. Any number of workers may do so at a time.
 */
export async function writePaymentMails(deps: Deps, succeededOf: SucceededOf): Promise<void> {
  const faults: unknown[] = [];
  for (let isFull = true; isFull;) {
    const readers = await take(deps);
    for (const reader of readers) {
      // A reader who cannot be written to is taken again later, and holds up no other.
      await writeTo(deps, reader, succeededOf).catch((error: unknown) => faults.push(error));
    }
    isFull = readers.length === BATCH;
  }
  if (faults.length > 0) throw faults[0];
}

async function take({ identity, clock }: Deps): Promise<Reader[]> {
  const now = wholeSecond(clock);
  const { rows } = await identity.pool.query<Reader>({
    name: "take readers of payments",
    text: `WITH taken AS (
        UPDATE payment_mail_reader SET look_at = $2 WHERE (tenant_id, user_id) IN (
          SELECT tenant_id, user_id FROM payment_mail_reader WHERE look_at <= $1
          ORDER BY look_at, tenant_id, user_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
        RETURNING tenant_id, user_id, since, looked_at
      )
      SELECT tenant_id AS "tenantId", user_id AS "userId", u.email, u.language, t.name AS "tenantName",
        floor(date_part('epoch', since)) AS since, floor(date_part('epoch', looked_at)) AS "lookedAt"
      FROM taken JOIN "user" u ON u.id = user_id JOIN tenant t ON t.id = tenant_id`,
    values: [now, secondsAfter(now, LEASE_SECONDS)],
  });
  return rows;
}

async function writeTo(deps: Deps, reader: Reader, succeededOf: SucceededOf): Promise<void> {
  const { identity, clock } = deps;
  const { tenantId, userId } = reader;
  // All that is committed by now is found.
  const now = wholeSecond(clock);
  const since = new Date(Math.max(reader.since, reader.lookedAt - OVERLAP_SECONDS) * 1000);
  const { rows } = await identity.pool.query<{ id: string }>({
    name: "written payment mails",
    text: "SELECT payment_id AS id FROM payment_mail WHERE tenant_id = $1 AND user_id = $2",
    values: [tenantId, userId],
  });
  const except = rows.map(({ id }) => id);
  const payments = await succeededOf({ tenantId, since, except, limit: PAYMENTS_MAX });
  const isFull = payments.length === PAYMENTS_MAX;
  await inTransaction(identity.pool, async (client) => {
    const { rowCount } = await client.query({
      name: "look at payments",
      text: `UPDATE payment_mail_reader SET look_at = $3, looked_at = $4 WHERE tenant_id = $1 AND user_id = $2`,
      values: [
        tenantId,
        userId,
        isFull ? now : secondsAfter(now, LOOK_SECONDS),
        isFull ? new Date(reader.lookedAt * 1000) : now,
      ],
    });
    // Turned off meanwhile.
    if (rowCount === 0) return;
    for (const payment of payments) await writeOf(deps, client, reader, payment);
    await client.query({
      name: "forget payment mails",
      text: "DELETE FROM payment_mail WHERE tenant_id = $1 AND user_id = $2 AND succeeded_at < $3",
      values: [tenantId, userId, since],
    });
  });
}

async function writeOf(
  { mails, consoleUrl }: Deps,
  client: Parameters<Mails["outbox"]["write"]>[0],
  { tenantId, userId, email: to, language, tenantName }: Reader,
  payment: SucceededPayment,
): Promise<void> {
  const { rowCount } = await client.query({
    name: "note payment mail",
    text: `INSERT INTO payment_mail (tenant_id, user_id, payment_id, succeeded_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING`,
    values: [tenantId, userId, payment.id, payment.succeededAt],
  });
  if (rowCount === 0) return;
  const content = paymentMail({
    to,
    language: languageOr(language),
    tenantName,
    payment,
    consoleUrl: `${consoleUrl}/live`,
  });
  await mails.outbox.write(client, { content, lifeSeconds: LIFE_SECONDS, tenantId });
}
