import { CardStyle, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CHOOSE_CARD, OTHER_DETAILS, type Query } from "./context.ts";
import type { Html } from "../pages/html.ts";
import type { PageContext } from "./page-context.ts";
import { isPreparing } from "./page-state.ts";
import { choosePage } from "./views/choose.ts";
import { confirmPage } from "./views/confirm.ts";
import type { Entered } from "./views/payer-fields.ts";
import type { ReceiptMail } from "./views/receipt-mail.ts";
import { paidPage } from "./views/receipt.ts";
import { endedPage, overPage } from "./views/ended.ts";
import { closedPage, sessionOverPage, untakenPage } from "./views/states.ts";
import { pixPage, preparingPage, processingPage, transferPage } from "./views/waiting.ts";
import { optionOf } from "./payment-option.ts";

/** What the payer's last form came to. */
interface SentForms {
  /** The form of `way` that was refused. */
  readonly refused?: Entered | undefined;
  readonly mail?: ReceiptMail;
}

/** Returns the page of a session, which depends on its payment's status. */
export function sessionPage(
  context: PageContext,
  checkout: Checkout,
  { way, choose, details }: Query,
  { refused, mail }: SentForms = {},
): Html {
  const { session, status } = checkout;
  const payment = session?.payment;
  const isActive = status === PaymentLinkStatus.ACTIVE;
  const isOpen = isActive && session?.isOpen === true;
  const isAgain = isOpen && (way !== undefined || choose !== undefined);
  // Money arrived: the page must not say otherwise.
  const untaken = isAgain ? undefined : untakenPage(context, checkout);
  if (untaken) return untaken;
  switch (isAgain ? undefined : payment?.status) {
    case PaymentStatus.FAILED:
    case PaymentStatus.EXPIRED:
      if (payment && isActive) return endedPage(context, checkout, payment);
      break;
    case PaymentStatus.PENDING:
      if (!payment || !isActive) break;
      if (payment.bankAccount) return transferPage(context, checkout, payment);
      if (!isOpen) return overPage(context, checkout);
      return isPreparing(payment)
        ? preparingPage(context, checkout, payment)
        : pixPage(context, checkout, payment);
    default:
  }
  if (payment?.status === PaymentStatus.SUCCEEDED) return paidPage(context, checkout, payment, mail);
  // An unpaid page of the provider is withdrawn when another option is taken.
  const isWithdrawn = isAgain && payment?.cardStyle === CardStyle.REDIRECT && !payment.isUnderReview;
  if (payment?.status === PaymentStatus.PROCESSING && !isWithdrawn) {
    return processingPage(context, checkout, payment);
  }
  if (!isActive) return closedPage(context, checkout);
  if (!isOpen) return sessionOverPage(context, checkout);
  const option = optionOf(session.options, way);
  if (!option) {
    return choosePage(context, checkout, choose === CHOOSE_CARD ? PaymentMethod.CARD : undefined);
  }
  const { values = {}, problems = {}, hasOwnDetails = false } = refused ?? {};
  return confirmPage(context, checkout, option, {
    values,
    problems,
    hasOwnDetails: hasOwnDetails || details === OTHER_DETAILS,
  });
}
