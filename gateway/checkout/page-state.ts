import { PaymentStatus, PaymentStatusSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatusSchema } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Checkout, CheckoutPayment } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";

/** Returns the changing parts of a page as one word. The script reads the page again when it changes. */
export function pageState({ status, session }: Checkout): string {
  const { payment, isOpen } = session ?? {};
  return [
    enumWords(PaymentLinkStatusSchema).wordOf.get(status),
    isOpen ? "open" : "over",
    payment ? enumWords(PaymentStatusSchema).wordOf.get(payment.status) : "none",
    payment?.challengeUrl === undefined ? "" : "challenge",
    payment?.isUnderReview === true ? "review" : "",
    payment && isPreparing(payment) ? "preparing" : "",
    payment?.askedAgainAt === undefined ? "" : "later",
    payment?.hasException === true ? `exception${payment.untakenMoney?.back ?? ""}` : "",
  ]
    .filter((part) => part !== "")
    .join("-");
}

/** Returns true if a PIX payment waits for its provider's code. */
export function isPreparing({ status, option, pixCode }: CheckoutPayment): boolean {
  return (
    status === PaymentStatus.PENDING && option?.paymentMethod === PaymentMethod.PIX && pixCode === undefined
  );
}
