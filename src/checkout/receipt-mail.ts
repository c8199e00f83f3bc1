import { create } from "@bufbuild/protobuf";
import { languageOr } from "../../contract/messages.ts";
import type { Checkout, SendReceiptRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import {
  SendReceiptResponseSchema,
  type SendReceiptResponse,
} from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { receiptMail } from "../mail/texts.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { isEmailAddress } from "../platform/text/email-address.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { dateOf } from "../platform/time/timestamps.ts";
import type { Decision } from "../platform/write/decision.ts";
import { updateCharge } from "./charge-changes.ts";
import type { SessionsDeps } from "./deps.ts";
import type { ChargeRow } from "./entities.ts";

const MAILS_MAX = 3;
/** An e-mail that a server does not take for a day is given up, with its address. */
const LIFE_SECONDS = 24 * 60 * 60;

type Deps = Pick<SessionsDeps, "mails" | "checkoutBase">;

/** Returns whether payers may send their receipts. Anyone can pay a link of test mode, with no money, and would send to anyone. */
export function isReceiptSent({ mails }: Pick<Deps, "mails">, mode: Mode): boolean {
  return mails !== undefined && mode === "live";
}

/**
 * Decides the e-mail with the receipt of a session's paid payment, as its page shows it. Errors: payment_not_found,
 * invalid_request, quota_exceeded.
 */
export function decideReceiptMail(
  { email, language }: SendReceiptRequest,
  { mails, checkoutBase }: Deps,
  {
    mode,
    charge,
    checkout,
  }: { readonly mode: Mode; readonly charge: ChargeRow | null; readonly checkout: Checkout },
): Decision<SendReceiptResponse> {
  const { session, merchantName, description: product, linkId } = checkout;
  const { status, option, paidAt } = session?.payment ?? {};
  if (!session || !charge || !option || !paidAt || status !== PaymentStatus.SUCCEEDED)
    throw new PaylinkError("payment_not_found", "The session has no paid payment.");
  if (!mails || !isReceiptSent({ mails }, mode)) throw invalidRequest(null, "No receipt is sent from here.");
  const to = visibleText(email);
  if (!isEmailAddress(to)) throw invalidRequest("email", "email is not an e-mail address.");
  const { tenantId, paymentId, receiptMailCount } = charge;
  const sent = receiptMailCount ?? 0;
  if (sent >= MAILS_MAX) {
    throw new PaylinkError("quota_exceeded", `A receipt is sent ${MAILS_MAX} times at most.`);
  }
  const content = receiptMail({
    to,
    language: languageOr(language),
    merchantName,
    product,
    paymentId,
    amountMinor: option.payerTotal,
    currency: option.payerCurrency,
    paidAt: dateOf(paidAt),
    url: `${checkoutBase}/pay/${linkId}/${session.id}`,
  });
  return {
    response: create(SendReceiptResponseSchema),
    changes: [
      updateCharge(charge, { receiptMailCount: sent + 1 }),
      mails.outbox.insertMail({ content, lifeSeconds: LIFE_SECONDS, tenantId }),
    ],
    audit: { objectId: paymentId },
  };
}
