import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { within } from "../platform/write/change.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import type { UsersDeps } from "./deps.ts";
import { entryOf, sessionOf } from "./sessions.ts";

type Rpcs = Pick<ServiceImpl<typeof UsersService>, "listSavedViews" | "putSavedView" | "removeSavedView">;

/** Saved views of one list of a user. */
const VIEWS_MAX = 20;

/** The RPCs of the views of lists that a user saves in a tenant. */
export function savedViewRpcs(deps: UsersDeps): Rpcs {
  const { pool, committer } = deps.identity;
  return {
    listSavedViews: async ({ tokenHash }) => {
      const { tenantId, userId } = await sessionOf(deps, tokenHash);
      const { rows } = await pool.query<{ list: string; name: string; query: string }>({
        name: "saved views",
        text: "SELECT list, name, query FROM saved_view WHERE tenant_id = $1 AND user_id = $2 ORDER BY list, name",
        values: [tenantId, userId],
      });
      return { views: rows };
    },
    putSavedView: async ({ tokenHash, view }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const { list = "", name = "", query = "" } = view ?? {};
      checkOwnText("name", name);
      checkOwnText("query", query);
      const put = withAdvisoryLock(`saved views of ${session.tenantId} ${session.userId}`, async (client) => {
        const whose = [session.tenantId, session.userId, list];
        await client.query(
          `INSERT INTO saved_view (tenant_id, user_id, list, name, query) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (tenant_id, user_id, list, name) DO UPDATE SET query = excluded.query`,
          [...whose, name, query],
        );
        const { rows } = await client.query<{ count: number }>(
          "SELECT count(*)::int FROM saved_view WHERE tenant_id = $1 AND user_id = $2 AND list = $3",
          whose,
        );
        if ((rows[0]?.count ?? 0) <= VIEWS_MAX) return;
        throw new PaylinkError("quota_exceeded", `A list has at most ${VIEWS_MAX} saved views.`);
      });
      await committer.commit([put], entryOf(auditOf(context), session, list));
      return {};
    },
    removeSavedView: async ({ tokenHash, list, name }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const remove = within(async (client) => {
        await client.query(
          "DELETE FROM saved_view WHERE tenant_id = $1 AND user_id = $2 AND list = $3 AND name = $4",
          [session.tenantId, session.userId, list, name],
        );
      });
      await committer.commit([remove], entryOf(auditOf(context), session, list));
      return {};
    },
  };
}
