import type { FastifyReply, FastifyRequest } from "fastify";
import { visibleText } from "../../contract/visible-text.ts";
import type { Checkout, CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { defined } from "../../contract/defined.ts";
import { formOf, type Form } from "../pages/form.ts";
import { note } from "../http/request-observer.ts";
import { addressOf, CHOOSE_CARD, contextOf, type PathParameters } from "./context.ts";
import type { CheckoutCore } from "./core.ts";
import { hasDetails, isPaymentForm, startFields } from "./form.ts";
import { sendBusy, type OpeningDeps } from "./opening.ts";
import type { MessageKey } from "./messages.ts";
import { CARD_CHOICE, optionOf, readOption } from "./payment-option.ts";
import { refusalOf, type Refusal } from "./refusals.ts";
import { isProductPrice } from "./shown-prices.ts";
import { send } from "./send.ts";
import { confirmPage } from "./views/confirm.ts";
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
  { core, paymentLimits }: OpeningDeps,
): Promise<FastifyReply> {
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
  return await pay(request, reply, core, ids);
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

/** Starts the payment that a form asks for, and leads to its page. A refused form comes back with what is wrong. */
export async function pay(
  request: FastifyRequest,
  reply: FastifyReply,
  core: CheckoutCore,
  ids: OnSession,
): Promise<FastifyReply> {
  const form = formOf(request.body);
  const address = { link: ids.linkId, session: ids.sessionId };
  const context = contextOf(request, reply, address, defined({ way: form["way"] }));
  const back = (): FastifyReply => reply.redirect(addressOf(address), 303);
  const chosen = readOption(form["way"]);
  if (!isPaymentForm(form)) return await send(reply, 422, formRefusedPage(context));
  if (!chosen) return back();
  try {
    await core.client.startPayment({ ...ids, ...chosen, ...startFields(form) }, core.as(request));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.kind !== "form") throw error;
    note(request, { outcome: refusal.message });
    const checkout = await core.read(request, ids.linkId, ids.sessionId);
    const option = optionOf(checkout.session?.options ?? [], form["way"]);
    if (!option) return back();
    const problems = problemsOf(form, refusal);
    const entered = {
      values: shown(form, problems),
      problems,
      hasOwnDetails: hasDetails(form),
    };
    return await send(reply, refusal.status, confirmPage(context, checkout, option, entered));
  }
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

/** Returns the values to show again, without any that may be card data. */
function shown({ card_token: _token, ...form }: Form, problems: Record<string, MessageKey>): Form {
  return Object.fromEntries(
    Object.entries(form).filter(([name]) => problems[name] !== "card_number_refused"),
  );
}
