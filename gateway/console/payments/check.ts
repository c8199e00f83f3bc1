import { wordsOf } from "../../../contract/enum-words.ts";
import { PaymentCheckAnswer, PaymentStatus, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { buttonForm } from "../parts/form.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const answers = wordsOf(PaymentCheckAnswer);

/** The notices of what the bank answered, by the `done` parameter of the payment's page. */
export const CHECKED: Readonly<Record<string, MessageKey>> = Object.fromEntries(
  answers.all.map((word) => [`check_${word}`, `check_${word}`] as const),
);

/** Adds the button's change: it asks the bank, and shows the payment with the answer. */
export function checkRoute(routes: ConsoleRoutes): void {
  routes.change("/payments/:id/check", "payments.check", {
    act: async (visit) => {
      const id = visit.part("id");
      const { check } = await visit.core.ledger.checkPayment({ id }, visit.as);
      const answer = check && answers.wordOf(check.answer);
      if (!answer) throw new Refused("unknown", visit);
      return visit.goTo(visit.path(`/payments/${id}?done=check_${answer}`));
    },
  });
}

/** Returns the button, or "" if the payment is paid, no bank can be asked, or the user may not. */
export function checkButton(visit: Visit, { id, status, paymentMethod }: Payment): Html | "" {
  const isPossible =
    status !== PaymentStatus.SUCCEEDED && paymentMethod !== PaymentMethod.TED && visit.can("payments.check");
  if (!isPossible) return "";
  return buttonForm(visit, visit.path(`/payments/${id}/check`), messagesIn(visit.language)("check"));
}
