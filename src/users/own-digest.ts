import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import type { RoleName } from "../../contract/roles.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { within } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { UsersDeps } from "./deps.ts";
import { entryOf, sessionOf } from "./sessions.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "getOwnDigest" | "putOwnDigest">;

/** Who gets e-mails of what needs a person without having asked for them. */
export const DIGEST_ROLES: readonly RoleName[] = ["owner", "finance"];

/** The RPCs with which a user turns the e-mails of what needs a person on and off. */
export function ownDigestRpcs(deps: UsersDeps): Rpcs {
  const { pool, committer } = deps.identity;
  return {
    getOwnDigest: async ({ tokenHash }) => {
      const { tenantId, userId, role } = await sessionOf(deps, tokenHash);
      const { rows } = await pool.query<{ isOn: boolean | null; language: string | null }>({
        name: "own digest",
        text: `SELECT d.is_on AS "isOn", u.language FROM "user" u
          LEFT JOIN digest d ON d.user_id = u.id AND d.tenant_id = $1 WHERE u.id = $2`,
        values: [tenantId, userId],
      });
      return { isOn: rows[0]?.isOn ?? DIGEST_ROLES.includes(role), language: rows[0]?.language ?? "" };
    },
    putOwnDigest: async ({ tokenHash, isOn, language }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const { tenantId, userId } = session;
      const put = within(async (client) => {
        await client.query(
          `INSERT INTO digest (tenant_id, user_id, is_on, look_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (tenant_id, user_id) DO UPDATE SET is_on = excluded.is_on`,
          [tenantId, userId, isOn, wholeSecond(deps.clock)],
        );
        if (language === "") return;
        await client.query('UPDATE "user" SET language = $2 WHERE id = $1', [userId, language]);
      });
      await committer.commit([put], entryOf(auditOf(context), session, userId));
      return {};
    },
  };
}
