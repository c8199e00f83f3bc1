import type { Caller, Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { isId } from "../../contract/ids.ts";
import { containing } from "../platform/db/conditions.ts";

/** The link made from a quote. */
export interface AcceptedLinkRow {
  readonly quoteId: string;
  readonly id: string;
  readonly reference: string | null;
}

const MATCHES_MAX = 1000;

/** Finds links for quotes: quotes belong to the pricing room, which does not know links. */
export class AcceptedLinks {
  readonly #environments: Readonly<Record<Mode, Environment>>;

  constructor(environments: Readonly<Record<Mode, Environment>>) {
    this.#environments = environments;
  }

  /** Returns the links made by accepting these quotes. */
  async ofQuotes({ mode, tenantId }: Caller, quoteIds: readonly string[]): Promise<AcceptedLinkRow[]> {
    const { rows } = await this.#environments[mode].pool.query<AcceptedLinkRow>({
      name: "links of quotes",
      text: `SELECT quote_id AS "quoteId", id, reference FROM payment_link
        WHERE tenant_id = $1 AND quote_id = ANY ($2)`,
      values: [tenantId, quoteIds],
    });
    return rows;
  }

  /** Returns the quotes of the link with this id, or of the newest links whose reference contains the text. */
  async quotesOf({ mode, tenantId }: Caller, text: string): Promise<string[]> {
    const { pool } = this.#environments[mode];
    const isLink = isId("pl", text);
    const { rows } = await pool.query<{ quoteId: string }>({
      name: isLink ? "quote of link" : "quotes of reference",
      text: isLink
        ? `SELECT quote_id AS "quoteId" FROM payment_link WHERE tenant_id = $1 AND id = $2 AND quote_id IS NOT NULL`
        : `SELECT quote_id AS "quoteId" FROM payment_link WHERE tenant_id = $1 AND quote_id IS NOT NULL
            AND lower(reference) LIKE lower($2) ORDER BY created_at DESC, id DESC LIMIT ${MATCHES_MAX}`,
      values: [tenantId, isLink ? text : containing(text)],
    });
    return rows.map(({ quoteId }) => quoteId);
  }
}
