import { PaymentStatusSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatusSchema } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";

/** Returns the changing parts of a page as one word. The script reads the page again when it changes. */
export function pageState({ status, session }: Checkout): string {
  const { payment, isOpen } = session ?? {};
  return [
    enumWords(PaymentLinkStatusSchema).wordOf.get(status),
    isOpen ? "open" : "over",
    payment ? enumWords(PaymentStatusSchema).wordOf.get(payment.status) : "none",
    payment?.challengeUrl === undefined ? "" : "challenge",
    payment?.hasException === true ? "exception" : "",
  ]
    .filter((part) => part !== "")
    .join("-");
}
