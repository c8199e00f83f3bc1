import formbody from "@fastify/formbody";
import helmet from "@fastify/helmet";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SandboxAction, type Checkout } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { asset } from "./assets.ts";
import type { CheckoutCore } from "./core.ts";
import { formOf, startFields, type Form } from "./form.ts";
import { Format } from "./format.ts";
import { LANGUAGE_COOKIE, languageOf, named } from "./language.ts";
import type { Html, PageContext } from "./page.ts";
import { refusalOf, type Refusal } from "./refusals.ts";
import { choosePage, landingPage } from "./views/choose.ts";
import { confirmPage } from "./views/confirm.ts";
import {
  closedPage,
  endedPage,
  notNowPage,
  paidPage,
  sessionOverPage,
  unknownPage,
  wrongPage,
} from "./views/states.ts";
import { challengePage, pixPage, processingPage, transferPage } from "./views/waiting.ts";
import { pageState, Watches } from "./watch.ts";
import { optionOf } from "./way.ts";
import { speaker } from "./words.ts";

const ASSETS = {
  style: asset("checkout.css", "text/css; charset=utf-8"),
  script: asset("checkout.js", "text/javascript; charset=utf-8"),
};
const FORMATS = { "pt-BR": new Format("pt-BR"), en: new Format("en") };
const YEAR_SECONDS = 31_536_000;
const UNKNOWN_STATUS = 404;
const FORM_LIMIT = 16 * 1024;

const ACTIONS: Readonly<Record<string, SandboxAction>> = {
  approve: SandboxAction.APPROVE,
  decline: SandboxAction.DECLINE,
  expire: SandboxAction.EXPIRE,
};

interface Place {
  readonly link: string;
  readonly session: string;
}

interface Query {
  readonly lang?: string;
  readonly way?: string;
  readonly choose?: string;
}

/** The payer's pages. GET shows and changes nothing; POST changes, and leads back to a page. */
export async function checkoutPages(app: FastifyInstance, core: CheckoutCore): Promise<void> {
  await app.register(formbody, { bodyLimit: FORM_LIMIT });
  await app.register(helmet, {
    enableCSPNonces: true,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [],
        styleSrc: [],
        imgSrc: ["https:"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    // Over http it is ignored, over https it is the operator's own to say.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
  });
  const watches = new Watches();
  app.addHook("preClose", (done) => {
    watches.close();
    done();
  });
  app.setErrorHandler(async (error, request, reply) => await answerError(error, request, reply, core));

  for (const { path, type, content } of Object.values(ASSETS)) {
    app.get(path, async (_request, reply) =>
      reply.header("cache-control", `public, max-age=${YEAR_SECONDS}, immutable`).type(type).send(content),
    );
  }
  app.get("/pay/:link", async (request, reply) => {
    const { link } = request.params as Place;
    const checkout = await core.read(request.id, link);
    const context = contextOf(request, reply);
    const isOpen = checkout.status === PaymentLinkStatus.ACTIVE;
    return await send(
      reply,
      isOpen ? 200 : 410,
      isOpen ? landingPage(context, checkout) : closedPage(context, checkout),
    );
  });
  app.post("/pay/:link/sessions", async (request, reply) => {
    const { link } = request.params as Place;
    const { sessionId } = await core.client.openSession({ linkId: link }, core.as(request.id));
    return reply.redirect(`/pay/${link}/${sessionId}`, 303);
  });
  app.get("/pay/:link/:session", async (request, reply) => {
    const { link, session } = request.params as Place;
    const checkout = await core.read(request.id, link, session);
    return await send(reply, 200, sessionPage(contextOf(request, reply), checkout, request.query as Query));
  });
  app.post("/pay/:link/:session/payments", async (request, reply) => await pay(request, reply, core));
  app.post("/pay/:link/:session/refresh", async (request, reply) => {
    const place = request.params as Place;
    await core.client.refreshPayment({ linkId: place.link, sessionId: place.session }, core.as(request.id));
    return backTo(reply, place);
  });
  app.post("/pay/:link/:session/simulate", async (request, reply) => {
    const place = request.params as Place;
    const action = ACTIONS[formOf(request.body)["action"] ?? ""] ?? SandboxAction.UNSPECIFIED;
    const { link: linkId, session: sessionId } = place;
    await core.client.simulateProvider({ linkId, sessionId, action }, core.as(request.id));
    return backTo(reply, place);
  });
  app.get("/pay/:link/:session/challenge", async (request, reply) => {
    const { link, session } = request.params as Place;
    const checkout = await core.read(request.id, link, session);
    const isUnderWay = checkout.session?.payment?.status === PaymentStatus.PROCESSING;
    if (!isUnderWay) return backTo(reply, { link, session });
    return await send(reply, 200, challengePage(contextOf(request, reply), checkout));
  });
  app.get("/pay/:link/:session/status", async (request, reply) => {
    const { link, session } = request.params as Place;
    const state = pageState(await core.read(request.id, link, session));
    return reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send(state);
  });
  app.get("/pay/:link/:session/events", async (request, reply) => {
    const { link, session } = request.params as Place;
    const read = async (): Promise<string> => pageState(await core.read(request.id, link, session));
    await read();
    if (watches.isFull) return reply.code(503).send();
    return await watches.stream(reply, read);
  });
}

/** The page of a session, by where its payment stands. */
function sessionPage(context: PageContext, checkout: Checkout, { way, choose }: Query): Html {
  const { session, status } = checkout;
  const payment = session?.payment;
  const isOpen = status === PaymentLinkStatus.ACTIVE && session?.isOpen === true;
  const isAgain = isOpen && (way !== undefined || choose !== undefined);
  if (payment?.status === PaymentStatus.SUCCEEDED) return paidPage(context, checkout, payment);
  if (payment?.status === PaymentStatus.PROCESSING) return processingPage(context, checkout, payment);
  if (payment && !isAgain) {
    if (payment.status !== PaymentStatus.PENDING) {
      return status === PaymentLinkStatus.COMPLETED
        ? closedPage(context, checkout)
        : endedPage(context, checkout, payment);
    }
    if (status === PaymentLinkStatus.ACTIVE) {
      return payment.bankAccount
        ? transferPage(context, checkout, payment)
        : pixPage(context, checkout, payment);
    }
  }
  if (status !== PaymentLinkStatus.ACTIVE) return closedPage(context, checkout);
  if (!isOpen) return sessionOverPage(context, checkout);
  const option = optionOf(session.options, way);
  return option ? confirmPage(context, checkout, option) : choosePage(context, checkout);
}

async function pay(request: FastifyRequest, reply: FastifyReply, core: CheckoutCore): Promise<FastifyReply> {
  const place = request.params as Place;
  const form = formOf(request.body);
  const checkout = await core.read(request.id, place.link, place.session);
  const option = optionOf(checkout.session?.options ?? [], form["way"]);
  if (!option) return backTo(reply, place);
  const { paymentMethod, installments } = option;
  try {
    const { challengeUrl } = await core.client.startPayment(
      { linkId: place.link, sessionId: place.session, paymentMethod, installments, ...startFields(form) },
      core.as(request.id),
    );
    return challengeUrl === undefined ? backTo(reply, place) : reply.redirect(challengeUrl, 303);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.kind !== "form") throw error;
    const isUnconfirmed = refusal.word === "total_changed" && form["acknowledged_total"] === undefined;
    const word = isUnconfirmed ? "total_unconfirmed" : refusal.word;
    const entered = { values: shown(form), problems: { [refusal.field]: word } } as const;
    return await send(
      reply,
      refusal.status,
      confirmPage(contextOf(request, reply), checkout, option, entered),
    );
  }
}

/** What was typed, to be shown again; never what may be a card's. */
function shown({ card_token: _token, ...form }: Form): Form {
  return form;
}

function refusedPage(context: PageContext, checkout: Checkout, { kind, word }: Refusal): Html {
  if (kind === "session_over") return sessionOverPage(context, checkout);
  return checkout.status === PaymentLinkStatus.ACTIVE
    ? notNowPage(context, checkout, word)
    : closedPage(context, checkout);
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  core: CheckoutCore,
): Promise<FastifyReply> {
  const context = contextOf(request, reply);
  const refusal = refusalOf(error);
  // A GET asks for nothing but a page: what is wrong with it is its address.
  if (refusal?.kind === "unknown" || (refusal && request.method === "GET")) {
    return await send(reply, UNKNOWN_STATUS, unknownPage(context));
  }
  if (refusal) {
    const { link = "", session } = request.params as Partial<Place>;
    const checkout = await core.read(request.id, link, session);
    return await send(reply, refusal.status, refusedPage(context, checkout, refusal));
  }
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return await send(reply, status, unknownPage(context));
  request.log.error({ err: error, requestId: request.id }, "page failed");
  return await send(reply.header("retry-after", "1"), 503, wrongPage(context));
}

function contextOf(request: FastifyRequest, reply: FastifyReply): PageContext {
  const { lang } = request.query as Query;
  const { cookie, "accept-language": accepted } = request.headers;
  const language = languageOf(lang, cookie, accepted);
  if (named(lang)) {
    reply.header(
      "set-cookie",
      `${LANGUAGE_COOKIE}=${language}; Path=/pay; Max-Age=${YEAR_SECONDS}; SameSite=Lax`,
    );
  }
  const [path = ""] = request.url.split("?");
  return {
    language,
    say: speaker(language),
    format: FORMATS[language],
    nonces: reply.cspNonce,
    path,
    assets: ASSETS,
  };
}

async function send(reply: FastifyReply, status: number, page: Html): Promise<FastifyReply> {
  return reply
    .code(status)
    .headers({ "cache-control": "no-store", vary: "accept-language, cookie" })
    .type("text/html; charset=utf-8")
    .send((await page).toString());
}

function backTo(reply: FastifyReply, { link, session }: Place): FastifyReply {
  return reply.redirect(`/pay/${encodeURIComponent(link)}/${encodeURIComponent(session)}`, 303);
}
