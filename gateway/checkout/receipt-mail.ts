import { ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { holdsCardNumber } from "../../contract/card-number.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { note, noteOwner } from "../http/request-observer.ts";
import { formOf } from "../pages/form.ts";
import { addressOf, contextOf, type Query, type Receipt } from "./context.ts";
import type { OpeningDeps } from "./opening.ts";
import { named } from "./paying.ts";
import { forgetForm, keepForm, keptForm } from "./refused-form.ts";
import { refusalOf } from "./refusals.ts";
import { FORM, type ReceiptMail } from "./views/receipt-mail.ts";

/** Under this name, in place of an option's, the refused form is kept. */
const KEPT = "receipt";

/**
 * Sends the receipt of a session to the address in the form, and leads back to the receipt, which says what became of it.
 */
export async function sendReceipt(
  request: FastifyRequest,
  reply: FastifyReply,
  { core, isSecure }: OpeningDeps,
): Promise<FastifyReply> {
  const ids = named(request);
  const path = addressOf({ link: ids.linkId, session: ids.sessionId });
  // The page is at the form again: its heading, which has the focus otherwise, is old news.
  const back = (receipt: Receipt): FastifyReply => reply.redirect(`${path}?receipt=${receipt}#${FORM}`, 303);
  const { email = "" } = formOf(request.body);
  try {
    const { language } = contextOf(request, reply);
    await core.client.sendReceipt({ ...ids, email, language }, core.as(request));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.kind !== "busy" && refusal?.field !== "email") throw error;
    if (error instanceof ConnectError) noteOwner(request, error.metadata);
    if (refusal.kind === "busy") {
      note(request, { outcome: "receipt_mail_full" });
      return back("full");
    }
    note(request, { outcome: refusal.message });
    const values = holdsCardNumber(visibleText(email)) ? {} : { email };
    keepForm(reply, path, { way: KEPT, values, problems: {}, hasOwnDetails: false }, isSecure);
    return back("wrong");
  }
  forgetForm(request, reply, path);
  return back("sent");
}

/** Returns what the receipt's page says of the payer's last e-mail, by its address. */
export function receiptMailOf(request: FastifyRequest): ReceiptMail {
  const { receipt } = request.query as Query;
  return receipt === "wrong" ? { receipt, email: keptForm(request, KEPT)?.values["email"] } : { receipt };
}
