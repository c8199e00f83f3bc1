import { needsOf, type Asking, type Need } from "../../contract/needs.ts";
import { isPermitted, type RoleName } from "../../contract/roles.ts";
import { languageOr } from "../../contract/messages.ts";
import type { Mails } from "../mail/service.ts";
import { digestMail } from "../mail/texts.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { isDigestDue, saidBy, stillSaid, type Said } from "./digest.ts";
import type { UsersDeps } from "./deps.ts";
import type { LiveOf } from "./live-needs.ts";
import { DIGEST_ROLES } from "./own-digest.ts";

interface Reader {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: RoleName;
  readonly email: string;
  readonly language: string | null;
  readonly tenantName: string;
  /** Unix seconds. */
  readonly sentAt: number | null;
  readonly sent: Said;
}

const BATCH = 20;
/** A user gets no two e-mails within this time. */
const LOOK_SECONDS = 60 * 60;
/** A process that ends meanwhile leaves its readers to the next one after this time. */
const LEASE_SECONDS = 5 * 60;

/**
 * Writes the e-mails of what needs a person that are due, with what each has said, in one transaction: a crash neither
 * loses nor repeats one. Any number of workers may do so at a time.
 */
export async function writeDigests(
  deps: UsersDeps & { readonly mails: Mails },
  liveOf: LiveOf,
): Promise<void> {
  const faults: unknown[] = [];
  for (let isFull = true; isFull;) {
    const readers = await take(deps);
    for (const ofTenant of Map.groupBy(readers, ({ tenantId }) => tenantId).values()) {
      // A tenant that cannot be looked at is taken again later, and holds up no other.
      await writeOfTenant(deps, ofTenant, liveOf).catch((error: unknown) => faults.push(error));
    }
    isFull = readers.length === BATCH;
  }
  if (faults.length > 0) throw faults[0];
}

async function writeOfTenant(
  deps: UsersDeps & { readonly mails: Mails },
  readers: readonly Reader[],
  liveOf: LiveOf,
): Promise<void> {
  const asking = await liveOf(readers[0]?.tenantId ?? "");
  const byRole = Map.groupBy(readers, ({ role }) => role);
  for (const [role, ofRole] of byRole) {
    const can: Asking["can"] = (permission) => isPermitted(role, permission);
    // Without an account nothing was sold there yet: what is missing is no news.
    const needs = asking.accounts.length > 0 ? await needsOf({ ...asking, can }) : [];
    for (const reader of ofRole) await write(deps, reader, needs, asking.accounts);
  }
}

async function take({ identity, clock }: UsersDeps): Promise<Reader[]> {
  const now = wholeSecond(clock);
  const { rows } = await identity.pool.query<Reader>({
    name: "take digests",
    text: `WITH due AS (
        SELECT m.tenant_id, m.user_id FROM membership m LEFT JOIN digest d USING (tenant_id, user_id)
        WHERE coalesce(d.is_on, m.role = ANY($3)) AND (d.look_at IS NULL OR d.look_at <= $1)
        ORDER BY d.look_at NULLS FIRST, m.tenant_id, m.user_id LIMIT ${BATCH}
      ), taken AS (
        INSERT INTO digest (tenant_id, user_id, look_at) SELECT tenant_id, user_id, $2 FROM due
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET look_at = excluded.look_at WHERE digest.look_at <= $1
        RETURNING tenant_id, user_id, sent_at, sent
      )
      SELECT tenant_id AS "tenantId", user_id AS "userId", m.role, u.email, u.language, t.name AS "tenantName",
        floor(extract(epoch from sent_at))::int4 AS "sentAt", sent
      FROM taken JOIN membership m USING (tenant_id, user_id) JOIN "user" u ON u.id = user_id
        JOIN tenant t ON t.id = tenant_id`,
    values: [now, secondsAfter(now, LEASE_SECONDS), DIGEST_ROLES],
  });
  return rows;
}

async function write(
  { identity, clock, mails, consoleUrl: url }: UsersDeps & { readonly mails: Mails },
  reader: Reader,
  needs: readonly Need[],
  accounts: Asking["accounts"],
): Promise<void> {
  const { tenantId, userId, email: to, tenantName, sentAt, sent } = reader;
  const now = wholeSecond(clock);
  const isDue = isDigestDue(needs, sent, sentAt, now.getTime());
  const said = isDue ? saidBy(needs) : stillSaid(sent, needs);
  await inTransaction(identity.pool, async (client) => {
    const { rowCount } = await client.query({
      name: "write digest",
      text: `UPDATE digest SET look_at = $3, sent = $4, sent_at = coalesce($5, sent_at)
        WHERE tenant_id = $1 AND user_id = $2 AND is_on IS DISTINCT FROM false`,
      values: [tenantId, userId, secondsAfter(now, LOOK_SECONDS), JSON.stringify(said), isDue ? now : null],
    });
    if (!isDue || rowCount === 0) return;
    const language = languageOr(reader.language);
    const consoleUrl = `${url}/live`;
    const content = digestMail({ to, language, tenantName, needs, accounts, consoleUrl });
    await mails.outbox.write(client, { content, lifeSeconds: LOOK_SECONDS, tenantId });
  });
}
