import type { FastifyReply, FastifyRequest } from "fastify";
import { isId } from "../../contract/ids.ts";
import { HEADERS } from "../../contract/headers.ts";
import type { Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { note } from "../http/request-observer.ts";
import { addressOf, CHANGED, contextOf } from "./context.ts";
import type { CheckoutCore } from "./core.ts";
import { formOf } from "../pages/form.ts";
import { refusalOf } from "./refusals.ts";
import { send } from "./send.ts";
import type { VisitLimits } from "./visit-limits.ts";
import { busyPage } from "./views/states.ts";

const COOKIE = "paylink_checkout";
// As long as browsers keep one: a payer finds the receipt at the link's address.
const COOKIE_SECONDS = 34_560_000;

export interface OpeningDeps {
  readonly core: CheckoutCore;
  readonly sessionLimits: VisitLimits;
  /** Limits on starting a payment and on asking the provider about it. */
  readonly paymentLimits: VisitLimits;
  /** True: browsers reach the pages over https. */
  readonly isSecure: boolean;
}

/**
 * Returns the browser's open session of the link, which counts towards no limit; else opens a session. Returns undefined if
 * the payer has to wait, or has seen other prices than the session's: the page that says so is sent or led to.
 */
export async function openSession(
  request: FastifyRequest,
  reply: FastifyReply,
  linkId: string,
  { core, sessionLimits, isSecure }: OpeningDeps,
): Promise<string | undefined> {
  const { prices: pricesVersion } = formOf(request.body);
  const former = await ownCheckout(request, core, linkId);
  if (former?.session && isGoingOn(former)) {
    const isSeen = pricesVersion === undefined || pricesVersion === former.session.pricesVersion;
    if (isSeen) return former.session.id;
    note(request, { outcome: "prices_changed" });
    await reply.redirect(changedAddress(linkId), 303);
    return undefined;
  }
  const waitSeconds = await sessionLimits.count(request.ip);
  if (waitSeconds !== undefined) {
    await sendBusy(request, reply, linkId, waitSeconds);
    return undefined;
  }
  const { sessionId } = await core.client.openSession({ linkId, pricesVersion }, core.as(request));
  const path = addressOf({ link: linkId });
  reply.setCookie(COOKIE, sessionId, {
    path,
    maxAge: COOKIE_SECONDS,
    httpOnly: true,
    secure: isSecure,
    sameSite: "lax",
  });
  return sessionId;
}

/** Returns the address of the link's first page for a payer who has seen other prices. */
export function changedAddress(linkId: string): string {
  return `${addressOf({ link: linkId })}?changed=${CHANGED}`;
}

/** Sends the page for a payer who has to wait before the next attempt. */
export async function sendBusy(
  request: FastifyRequest,
  reply: FastifyReply,
  linkId: string,
  waitSeconds: number,
): Promise<FastifyReply> {
  note(request, { outcome: "busy_title" });
  reply.header(HEADERS.retryAfter, waitSeconds);
  return await send(reply, 429, busyPage(contextOf(request, reply), linkId, waitSeconds));
}

/** Returns the checkout of the browser's session of the link, or undefined if it has none. */
export async function ownCheckout(
  request: FastifyRequest,
  core: CheckoutCore,
  linkId: string,
): Promise<Checkout | undefined> {
  const sessionId = request.cookies[COOKIE];
  if (sessionId === undefined || !isId("cs", sessionId)) return undefined;
  try {
    return await core.read(request, linkId, sessionId);
  } catch (error) {
    if (refusalOf(error)) return undefined;
    throw error;
  }
}

/** Returns whether a session still takes a payment or has one in progress. */
export function isGoingOn({ status, session }: Checkout): boolean {
  const isPaid = session?.payment?.status === PaymentStatus.SUCCEEDED;
  return status === PaymentLinkStatus.ACTIVE && session?.isOpen === true && !isPaid;
}
