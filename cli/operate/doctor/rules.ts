import type pg from "pg";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("rules");
const NAMED_MAX = 5;

/** A tenant that has no pricing rule for any of its methods in a mode. */
export interface Unpriced {
  readonly mode: "test" | "live";
  readonly id: string;
}

/** Returns the tenants without a rule, or undefined while the tables are not there. */
export async function lookAtRules(client: pg.Client): Promise<readonly Unpriced[] | undefined> {
  const { rows: found } = await client.query(
    "SELECT to_regclass('live.pricing_rule') AS live, to_regclass('test.pricing_rule') AS test, to_regclass('identity.tenant') AS tenant",
  );
  if (!found[0]?.live || !found[0].test || !found[0].tenant) return undefined;
  const of = (mode: Unpriced["mode"]): string =>
    `SELECT '${mode}' AS mode, t.id FROM identity.tenant t WHERE NOT EXISTS (SELECT FROM ${mode}.pricing_rule r
       WHERE r.tenant_id IN (t.id, 'default') AND r.method = ANY (t.payment_methods))`;
  const { rows } = await client.query<Unpriced>(
    `${of("test")} UNION ALL ${of("live")} ORDER BY mode DESC, id`,
  );
  return rows;
}

/** Judges the tenants: one without a rule can sell nothing. */
export function judgeRules(unpriced: readonly Unpriced[]): Finding[] {
  const found = (["test", "live"] as const).flatMap((mode): Finding[] => {
    const ids = unpriced.filter((one) => one.mode === mode).map(({ id }) => id);
    if (ids.length === 0) return [];
    const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
    return [
      warning(
        `${mode}: no pricing rule for ${ids.slice(0, NAMED_MAX).join(", ")}${more}: every quote and link is refused`,
        `Put one in force: paylink rules init --tenant T --mode ${mode}, or paylink rules put.`,
      ),
    ];
  });
  return found.length > 0 ? found : [ok("every tenant has one")];
}
