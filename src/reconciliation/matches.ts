import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  MatchSchema,
  type ReconciliationService,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { isId } from "../../contract/ids.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { findLinesOfMatches } from "./line-keys.ts";
import { legs, rules } from "./mapping.ts";
import type { Leg, Rule } from "./matching/lines.ts";
import { inOrder, LINES_SHOWN, toLine } from "./shown-lines.ts";
import { daysOfList } from "./times.ts";

const LIMIT_DEFAULT = 20;

interface FoundMatch {
  readonly id: string;
  readonly leg: Leg;
  readonly rule: Rule;
  readonly day: string;
  readonly accountId: string | null;
  readonly isMoved: boolean;
  readonly decisionId: string | null;
}

/** The RPC of matches, latest day first. */
export function matchRpcs({
  operations,
}: ReconciliationDeps): Pick<ServiceImpl<typeof ReconciliationService>, "listMatches"> {
  return {
    listMatches: operations.run(async (request, { tenantId, environment }) => {
      const { accountId = null, id: asked = null } = request;
      const [from, to] = daysOfList(request);
      const { pool } = environment;
      const { rows, ...page } = await keysetPage<FoundMatch, readonly [string, string]>({
        limit: request.limit ?? LIMIT_DEFAULT,
        startingAfter: request.startingAfter,
        what: "the id of a match",
        find: async (id) => {
          if (!isId("rcm", id)) return undefined;
          const { rows: found } = await pool.query<{ day: string }>({
            name: "place of a match",
            text: "SELECT day::text AS day FROM reconciliation_match WHERE tenant_id = $1 AND id = $2",
            values: [tenantId, id],
          });
          return found[0] && [found[0].day, id];
        },
        read: async (after, rowCount) => {
          const { rows: found } = await pool.query<FoundMatch>({
            name: "matches",
            text: `SELECT id, leg, rule, day::text AS day, account_id AS "accountId", is_moved AS "isMoved",
                decision_id AS "decisionId" FROM reconciliation_match
              WHERE tenant_id = $1 AND day BETWEEN $2 AND $3 AND ($4::text IS NULL OR account_id = $4)
                AND ($5::text IS NULL OR id = $5) AND ($6::date IS NULL OR (day, id) < ($6::date, $7 COLLATE "C"))
              ORDER BY day DESC, id DESC LIMIT $8`,
            values: [tenantId, from, to, accountId, asked, after?.[0] ?? null, after?.[1] ?? "", rowCount],
          });
          return found;
        },
      });
      const ids = rows.map(({ id }) => id);
      const lines = await findLinesOfMatches(environment, tenantId, ids);
      const matches = rows.map((row) => {
        const own = inOrder(
          lines.filter((line) => (row.leg === "books" ? line.booksMatchId : line.bankMatchId) === row.id),
        );
        return create(MatchSchema, {
          id: row.id,
          leg: legs.numbers[row.leg],
          rule: rules.numbers[row.rule],
          day: row.day,
          accountId: row.accountId ?? undefined,
          isMoved: row.isMoved,
          decisionId: row.decisionId ?? undefined,
          lines: own.slice(0, LINES_SHOWN).map(toLine),
          lineCount: own.length,
        });
      });
      return { matches, ...page };
    }),
  };
}
