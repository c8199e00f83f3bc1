import type { ServiceImpl } from "@connectrpc/connect";
import { dayAt } from "../../contract/day.ts";
import type { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { FindOwner } from "../platform/rpc/call.ts";
import { calendarDay } from "../platform/time/period.ts";
import type { CheckoutDeps } from "./deps.ts";

type Rpcs = Pick<ServiceImpl<typeof CheckoutService>, "countVisits" | "summarizeVisits">;

/** The RPCs that count how often links are opened, as sums of a link's day. */
export function visitRpcs(
  { operations, clock }: Pick<CheckoutDeps, "operations" | "clock">,
  findOwner: FindOwner<{ readonly linkId: string }>,
): Rpcs {
  return {
    countVisits: operations.run(async ({ linkId, pageCount, sessionCount }, operation) => {
      const { tenantId, environment } = operation;
      const query = {
        name: "count visits",
        text: `INSERT INTO link_visits (tenant_id, link_id, day, page_count, session_count) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (tenant_id, link_id, day) DO UPDATE SET
            page_count = link_visits.page_count + excluded.page_count,
            session_count = link_visits.session_count + excluded.session_count`,
        values: [tenantId, linkId, dayAt(clock.nowMs()).toString(), pageCount, sessionCount],
      };
      await environment.pool.query(query);
      await operations.record(operation, { objectId: linkId });
      return {};
    }, findOwner),
    summarizeVisits: operations.run(async ({ from, to, linkId = null }, { tenantId, environment }) => {
      const days = [calendarDay("from", from).toString(), calendarDay("to", to).toString()];
      const { rows } = await environment.pool.query<{ pageCount: string; sessionCount: string }>({
        name: "sum visits",
        text: `SELECT coalesce(sum(page_count), 0)::text AS "pageCount",
            coalesce(sum(session_count), 0)::text AS "sessionCount"
          FROM link_visits WHERE tenant_id = $1 AND day BETWEEN $2 AND $3 AND ($4::text IS NULL OR link_id = $4)`,
        values: [tenantId, ...days, linkId],
      });
      return { pageCount: BigInt(rows[0]?.pageCount ?? 0), sessionCount: BigInt(rows[0]?.sessionCount ?? 0) };
    }),
  };
}
