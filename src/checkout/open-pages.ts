import type { PaymentLinkRow } from "../links/entities.ts";
import type { Environment } from "../platform/database.ts";
import { PaylinkError } from "../platform/errors.ts";
import type { Providers } from "../providers/directory.ts";

/** How many payers can be on an account's pages or have its codes at a time, or have left them unpaid. */
interface PageLimits {
  readonly ofAccount: number;
  readonly ofLink: number;
}

/** An account whose provider takes a limited number of calls. */
interface LimitedAccount {
  readonly accountId: string | null;
  readonly isScarce: boolean;
}

const LIMITS: PageLimits = { ofAccount: 200, ofLink: 100 };
// Of an account with few calls left: one link must not use them up.
const SCARCE_LIMITS: PageLimits = { ofAccount: 20, ofLink: 5 };

/**
 * Bounds the charges on a provider's page, or with its code, that are unpaid and whose session has not ended: each costs the account
 * some of the calls that its provider takes. Those that were given up count too. Two starts at once may both be the last.
 * Error: payment_method_busy.
 */
export async function requireFreePage(
  { pool }: Environment,
  account: LimitedAccount | undefined,
  { tenantId, id: linkId }: Pick<PaymentLinkRow, "tenantId" | "id">,
  now: Date,
): Promise<void> {
  if (account === undefined || account.accountId === null) return;
  const { accountId, isScarce } = account;
  const { rows } = await pool.query<{ ofAccount: number; ofLink: number }>({
    name: "open pages",
    text: `SELECT count(*)::integer AS "ofAccount", (count(*) FILTER (WHERE s.link_id = $3))::integer AS "ofLink"
      FROM charge c JOIN checkout_session s ON s.tenant_id = c.tenant_id AND s.id = c.session_id
      WHERE c.tenant_id = $1 AND c.account_id = $2 AND c.expires_at > $4 AND c.is_open
        AND (c.card_style = 'redirect' OR c.card_style IS NULL)
        AND c.reviewed_at IS NULL AND c.provider_payment_id IS NULL`,
    values: [tenantId, accountId, linkId, now],
  });
  const [{ ofAccount, ofLink } = { ofAccount: 0, ofLink: 0 }] = rows;
  const limits = isScarce ? SCARCE_LIMITS : LIMITS;
  if (ofAccount < limits.ofAccount && ofLink < limits.ofLink) return;
  const message = "Too many payers are paying in this way: try again later, or pay in another way.";
  throw new PaylinkError("payment_method_busy", message);
}

/** Returns the account that a method charges, or undefined if its provider takes any number of calls. */
export function limitedAccount(
  method: string,
  { pix, card }: Pick<Providers, "pix" | "card">,
): LimitedAccount | undefined {
  if (method === "card" && card?.terms.style === "redirect") {
    return { accountId: card.accountId, isScarce: card.isScarce ?? false };
  }
  if (method !== "pix" || pix?.isScarce === undefined) return undefined;
  return { accountId: pix.accountId, isScarce: pix.isScarce };
}
