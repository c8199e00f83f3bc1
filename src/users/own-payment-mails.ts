import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { within } from "../platform/write/change.ts";
import type { UsersDeps } from "./deps.ts";
import { entryOf, sessionOf } from "./sessions.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "getOwnPaymentMails" | "putOwnPaymentMails">;

/** The RPCs with which a user turns the e-mails of payments that succeed on and off. They are off until then. */
export function ownPaymentMailRpcs(deps: UsersDeps): Rpcs {
  const { pool, committer } = deps.identity;
  return {
    getOwnPaymentMails: async ({ tokenHash }) => {
      const { tenantId, userId } = await sessionOf(deps, tokenHash);
      const { rowCount } = await pool.query({
        name: "own payment mails",
        text: "SELECT FROM payment_mail_reader WHERE tenant_id = $1 AND user_id = $2",
        values: [tenantId, userId],
      });
      return { isOn: rowCount === 1 };
    },
    putOwnPaymentMails: async ({ tokenHash, isOn, language }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const { tenantId, userId } = session;
      const now = wholeSecond(deps.clock);
      // What succeeded in this second may have been told before the e-mails were last turned off.
      const put = within(async (client) => {
        await (isOn
          ? client.query(
              `INSERT INTO payment_mail_reader (tenant_id, user_id, since, looked_at, look_at) VALUES ($1, $2, $4, $3, $3)
                ON CONFLICT DO NOTHING`,
              [tenantId, userId, now, secondsAfter(now, 1)],
            )
          : client.query("DELETE FROM payment_mail_reader WHERE tenant_id = $1 AND user_id = $2", [
              tenantId,
              userId,
            ]));
        if (language === "") return;
        await client.query('UPDATE "user" SET language = $2 WHERE id = $1', [userId, language]);
      });
      await committer.commit([put], entryOf(auditOf(context), session, userId));
      return {};
    },
  };
}
