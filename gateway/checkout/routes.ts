import { ConnectError } from "@connectrpc/connect";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { wordsOf } from "../../contract/enum-words.ts";
import { HEADERS } from "../../contract/headers.ts";
import { SandboxAction, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { serveAssets } from "../pages/assets.ts";
import { formOf, acceptForms } from "../pages/form.ts";
import { acceptCookies } from "../pages/cookies.ts";
import { protectPages } from "../pages/protect.ts";
import { isCoreUnavailable } from "../transcode/errors.ts";
import { note, noteOwner } from "../http/request-observer.ts";
import { addressOf, ASSETS, CHANGED, contextOf, type PathParameters, type Query } from "./context.ts";
import type { CheckoutCore } from "./core.ts";
import {
  changedAddress,
  isGoingOn,
  openSession,
  ownCheckout,
  sendBusy,
  type OpeningDeps,
} from "./opening.ts";
import { refusalOf } from "./refusals.ts";
import { keptForm } from "./refused-form.ts";
import { send } from "./send.ts";
import { sessionPage } from "./session-page.ts";
import { dropStraySigns } from "./stray-signs.ts";
import { landingPage } from "./views/landing.ts";
import { paidPage } from "./views/receipt.ts";
import { closedPage, formRefusedPage, unknownPage, untakenPage, wrongPage } from "./views/states.ts";
import { challengePage } from "./views/waiting.ts";
import { pageState } from "./page-state.ts";
import { enter, named, pay } from "./paying.ts";
import { receiptMailOf, sendReceipt } from "./receipt-mail.ts";
import { Watches } from "./watch.ts";

const FORM_LIMIT = 16 * 1024;
const UNKNOWN_STATUS = 404;
// Open sessions of a link end all the time.
const BUSY_SECONDS = 60;

const actions = wordsOf(SandboxAction);

/** The methods that each page's address takes. Others are refused. */
export const PAGE_VERBS: Readonly<Record<string, readonly string[]>> = {
  "/pay/:link": ["GET", "HEAD"],
  "/pay/:link/sessions": ["GET", "HEAD", "POST"],
  "/pay/:link/:session": ["GET", "HEAD"],
  "/pay/:link/:session/payments": ["GET", "HEAD", "POST"],
  "/pay/:link/:session/refresh": ["GET", "HEAD", "POST"],
  "/pay/:link/:session/simulate": ["GET", "HEAD", "POST"],
  "/pay/:link/:session/receipt": ["GET", "HEAD", "POST"],
  "/pay/:link/:session/challenge": ["GET", "HEAD"],
  "/pay/:link/:session/status": ["GET", "HEAD"],
  "/pay/:link/:session/events": ["GET"],
};

interface CheckoutPagesDeps extends OpeningDeps {
  /** Milliseconds between two reads of the state of an open page. */
  readonly watchPollMs: number | undefined;
}

/** Adds the payer's pages. A GET changes nothing. A POST changes something and redirects to a page. */
export async function checkoutPages(app: FastifyInstance, deps: CheckoutPagesDeps): Promise<void> {
  const { core } = deps;
  await protect(app);
  const watches = new Watches(deps.watchPollMs);
  app.addHook("preClose", async () => await watches.close());
  app.setErrorHandler(answerError);
  serveAssets(app, ASSETS);
  addReadRoutes(app, core, watches);
  addWriteRoutes(app, deps);
}

async function protect(app: FastifyInstance): Promise<void> {
  await acceptForms(app, FORM_LIMIT);
  await acceptCookies(app);
  await protectPages(app, { images: ["'self'", "https:"], hasForms: true, referrer: "no-referrer" });
  app.addHook("onRequest", dropStraySigns);
}

function addReadRoutes(app: FastifyInstance, core: CheckoutCore, watches: Watches): void {
  const read = async (request: FastifyRequest): Promise<Checkout> => {
    const { link, session } = request.params as Partial<PathParameters>;
    return await core.read(request, link ?? "", session);
  };
  const page = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    app.route({ method: "GET", url, exposeHeadRoute: true, handler });

  page("/pay/:link", async (request, reply) => {
    const { again, changed } = request.query as Query;
    const own = again === undefined ? await ownCheckout(request, core, named(request).linkId) : undefined;
    const context = contextOf(request, reply);
    const payment = own?.session?.payment;
    if (own && payment?.status === PaymentStatus.SUCCEEDED) {
      return await send(reply, 200, paidPage(context, own, payment));
    }
    const untaken = own && untakenPage(context, own);
    if (untaken) return await send(reply, 200, untaken);
    const checkout = own && isGoingOn(own) ? own : await read(request);
    const isOpen = checkout.status === PaymentLinkStatus.ACTIVE;
    const html = isOpen
      ? landingPage(context, checkout, changed === CHANGED)
      : closedPage(context, own ?? checkout);
    return await send(reply, isOpen ? 200 : 410, html);
  });
  page("/pay/:link/:session", async (request, reply) => {
    const checkout = await read(request);
    const query = request.query as Query;
    const forms = { refused: keptForm(request, query.way), mail: receiptMailOf(request) };
    return await send(reply, 200, sessionPage(contextOf(request, reply), checkout, query, forms));
  });
  page("/pay/:link/:session/challenge", async (request, reply) => {
    const checkout = await read(request);
    const isProcessing = checkout.session?.payment?.status === PaymentStatus.PROCESSING;
    if (!isProcessing || checkout.mode !== Mode.TEST) return backTo(request, reply);
    return await send(reply, 200, challengePage(contextOf(request, reply), checkout));
  });
  page("/pay/:link/:session/status", async (request, reply) => {
    const state = pageState(await read(request));
    return reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send(state);
  });
  app.get("/pay/:link/:session/events", { config: { isStream: true } }, async (request, reply) => {
    const { link, session } = request.params as PathParameters;
    const keys = { page: `${link} ${session}`, link, address: request.ip };
    await watches.stream(keys, reply, async () => pageState(await read(request)));
  });
  // The address of a form has no page. A payer who reloads it is redirected to the form's page.
  for (const step of ["payments", "refresh", "simulate", "receipt"]) {
    page(`/pay/:link/:session/${step}`, async (request, reply) => backTo(request, reply));
  }
  page("/pay/:link/sessions", async (request, reply) => backTo(request, reply));
}

function addWriteRoutes(app: FastifyInstance, deps: OpeningDeps): void {
  const { core } = deps;
  app.post("/pay/:link/sessions", async (request, reply) => {
    const { linkId } = named(request);
    const sessionId = await openSession(request, reply, linkId, deps);
    return sessionId === undefined ? reply : await enter(request, reply, { linkId, sessionId }, deps);
  });
  app.post("/pay/:link/:session/payments", async (request, reply) => {
    const waitSeconds = await secondsToWait(request, deps);
    if (waitSeconds !== undefined) return await sendBusy(request, reply, named(request).linkId, waitSeconds);
    return await pay(request, reply, deps, named(request));
  });
  app.post("/pay/:link/:session/refresh", async (request, reply) => {
    const waitSeconds = await secondsToWait(request, deps);
    if (waitSeconds !== undefined) return await sendBusy(request, reply, named(request).linkId, waitSeconds);
    await core.client.refreshPayment(named(request), core.as(request));
    return backTo(request, reply);
  });
  app.post("/pay/:link/:session/receipt", async (request, reply) => {
    const waitSeconds = await secondsToWait(request, deps);
    if (waitSeconds !== undefined) return await sendBusy(request, reply, named(request).linkId, waitSeconds);
    return await sendReceipt(request, reply, deps);
  });
  app.post("/pay/:link/:session/simulate", async (request, reply) => {
    const action = actions.numberOf(formOf(request.body)["action"]) ?? SandboxAction.UNSPECIFIED;
    await core.client.simulateProvider({ ...named(request), action }, core.as(request));
    return backTo(request, reply);
  });
}

/** Counts a request about a payment. Returns undefined if it may go on, else the seconds to wait. */
async function secondsToWait(
  request: FastifyRequest,
  { paymentLimits }: OpeningDeps,
): Promise<number | undefined> {
  return await paymentLimits.count(request.ip);
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const context = contextOf(request, reply);
  const refusal = refusalOf(error);
  if (error instanceof ConnectError) noteOwner(request, error.metadata);
  note(request, { outcome: refusal?.message ?? "page_failed" });
  if (refusal?.kind === "busy") {
    return await sendBusy(request, reply, named(request).linkId, BUSY_SECONDS);
  }
  // A refused GET can only have a wrong address.
  if (refusal?.kind === "unknown" || (refusal && request.method !== "POST")) {
    return await send(reply, UNKNOWN_STATUS, unknownPage(context));
  }
  // The page of the link or its session says what is the matter with it.
  if (refusal?.kind === "prices_changed") return reply.redirect(changedAddress(named(request).linkId), 303);
  if (refusal) return backTo(request, reply);
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return await send(reply, status, formRefusedPage(context));
  if (!isCoreUnavailable(error)) request.log.error({ err: error, request_id: request.id }, "page failed");
  return await send(reply.header(HEADERS.retryAfter, "1"), 503, wrongPage(context));
}

function backTo({ params }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.redirect(addressOf(params as PathParameters), 303);
}
