import { ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { holdsCardNumber } from "../../contract/card-number.ts";
import { visibleText } from "../../contract/visible-text.ts";
import type { Checkout, CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { formOf, type Form } from "../pages/form.ts";
import { note, noteOwner } from "../http/request-observer.ts";
import { addressOf, CHOOSE_CARD, contextOf, type PathParameters } from "./context.ts";
import { hasDetails, isPaymentForm, startFields } from "./form.ts";
import { sendBusy, type OpeningDeps } from "./opening.ts";
import type { MessageKey } from "./messages.ts";
import { CARD_CHOICE, methodKey, optionOf, readOption } from "./payment-option.ts";
import { forgetForm, keepForm } from "./refused-form.ts";
import { refusalOf, type Refusal } from "./refusals.ts";
import { isProductPrice } from "./shown-prices.ts";
import { send } from "./send.ts";
import { askedOf } from "./views/payer-fields.ts";
import { formRefusedPage } from "./views/states.ts";

/** A session of a link. */
interface OnSession {
  readonly linkId: string;
  readonly sessionId: string;
}

/** Returns the session in the request's path. */
export function named({ params }: FastifyRequest): OnSession {
  const { link, session } = params as PathParameters;
  return { linkId: link, sessionId: session };
}

/**
 * Leads from a link's first page into its session: to the choice, to the page of the chosen option, or to its code at once,
 * where that page would ask for nothing and show no other total.
 */
export async function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  ids: OnSession,
  deps: OpeningDeps,
): Promise<FastifyReply> {
  const { core, paymentLimits } = deps;
  const { linkId, sessionId } = ids;
  const address = addressOf({ link: linkId, session: sessionId });
  const { way } = formOf(request.body);
  if (way === CARD_CHOICE) return reply.redirect(`${address}?choose=${CHOOSE_CARD}`, 303);
  if (readOption(way) === undefined) return reply.redirect(address, 303);
  const checkout = await core.read(request, linkId, sessionId);
  const option = optionOf(checkout.session?.options ?? [], way);
  if (!option) return reply.redirect(address, 303);
  if (!isKnownInFull(checkout, option, formOf(request.body)))
    return reply.redirect(`${address}?way=${way}`, 303);
  const waitSeconds = await paymentLimits.count(request.ip);
  if (waitSeconds !== undefined) return await sendBusy(request, reply, linkId, waitSeconds);
  return await pay(request, reply, deps, ids);
}

/** Returns whether the code is the next thing to show: nothing is left to be acknowledged or given by the payer. */
function isKnownInFull(checkout: Checkout, option: CheckoutOption, form: Form): boolean {
  const isProduct = option.feeHandling !== FeeHandling.PASS_THROUGH && isProductPrice(checkout, option);
  const isAcknowledged = form["acknowledged_total"] === String(option.payerTotal);
  return (
    option.paymentMethod === PaymentMethod.PIX &&
    (isProduct || isAcknowledged) &&
    askedOf(checkout, option.paymentMethod).length === 0
  );
}

/**
 * Starts the payment that a form asks for, and leads to its page. A refused form leads back to its own page, which says what
 * is wrong: a page that answered the form itself would be an error of the browser's for Back.
 */
export async function pay(
  request: FastifyRequest,
  reply: FastifyReply,
  { core, isSecure }: OpeningDeps,
  ids: OnSession,
): Promise<FastifyReply> {
  const form = formOf(request.body);
  const address = { link: ids.linkId, session: ids.sessionId };
  const path = addressOf(address);
  const back = (query = ""): FastifyReply => reply.redirect(`${path}${query}`, 303);
  const chosen = readOption(form["way"]);
  if (!isPaymentForm(form)) {
    return await send(reply, 422, formRefusedPage(contextOf(request, reply, address, {})));
  }
  if (!chosen) return back();
  try {
    await core.client.startPayment({ ...ids, ...chosen, ...startFields(form) }, core.as(request));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.kind !== "form") throw error;
    if (error instanceof ConnectError) noteOwner(request, error.metadata);
    note(request, { outcome: refusal.message });
    const way = methodKey(chosen.paymentMethod, chosen.installments);
    const problems = problemsOf(form, refusal);
    const refused = { way, values: shown(form, problems), problems, hasOwnDetails: hasDetails(form) };
    keepForm(reply, path, refused, isSecure);
    return back(`?way=${way}`);
  }
  forgetForm(request, reply, path);
  // Also for a challenge: after a form the browser blocks a redirect to another origin, so the page has a link to it.
  return back();
}

/** Returns what is wrong in each field. What is empty is missing. */
function problemsOf(form: Form, { field, message, others = [] }: Refusal): Record<string, MessageKey> {
  const all = [{ field, message }, ...others].map((one): [string, MessageKey] => {
    const isUnticked = one.field === "acknowledged_total" && form[one.field] === undefined;
    const typed = form[one.field];
    const isEmpty = one.message.endsWith("_wrong") && typed !== undefined && visibleText(typed) === "";
    return [one.field, isUnticked ? "total_unconfirmed" : isEmpty ? "field_missing" : one.message];
  });
  return Object.fromEntries(all);
}

/** Returns the values to show again, without any that may be card data: a form may be refused before that is looked for. */
function shown(form: Form, problems: Record<string, MessageKey>): Form {
  return Object.fromEntries(
    Object.entries(form).filter(
      ([name, text]) => problems[name] !== "card_number_refused" && !holdsCardNumber(visibleText(text)),
    ),
  );
}
