import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { mostInstallments, type CardTerms } from "../providers/card-port.ts";

/**
 * Requires that the merchant's account can charge a new link that is paid by card alone: nobody could pay it. Errors:
 * payment_method_unsupported on `param` without an account, invalid_request on max_installments.
 */
export function requireCardAccount(terms: CardTerms | undefined, installments: number, param: string): void {
  if (!terms) {
    const message = "card is not offered here: the merchant has no account at a card provider yet.";
    throw new PaylinkError("payment_method_unsupported", message, param);
  }
  const most = mostInstallments(terms);
  if (installments > most) {
    throw invalidRequest("max_installments", `At most ${most} installments are offered by the card account.`);
  }
}
