import type { FastifyReply, FastifyRequest } from "fastify";
import { join } from "node:path";
import { defined } from "../../contract/defined.ts";
import { isId } from "../../contract/ids.ts";
import { BASE_STYLE, ICON, readAsset } from "../pages/assets.ts";
import { formatOf } from "../pages/format.ts";
import { languageCookie, languageOf, named, otherThan, type Language } from "../pages/language.ts";
import type { PageContext } from "./page-context.ts";
import { messagesIn } from "./messages.ts";
import { allowConnection } from "../pages/protect.ts";
import { readOption } from "./payment-option.ts";

const FOLDER = join(import.meta.dirname, "assets");

export const ASSETS = {
  base: readAsset(BASE_STYLE, "/pay/assets", "text/css; charset=utf-8"),
  icon: readAsset(ICON, "/pay/assets", "image/svg+xml"),
  style: readAsset(join(FOLDER, "checkout.css"), "/pay/assets", "text/css; charset=utf-8"),
  script: readAsset(join(FOLDER, "checkout.js"), "/pay/assets", "text/javascript; charset=utf-8"),
  cardScript: readAsset(join(FOLDER, "card.js"), "/pay/assets", "text/javascript; charset=utf-8"),
};

/** The parameters in a page's path. */
export interface PathParameters {
  readonly link: string;
  readonly session: string;
}

/** The query parameters of a page. */
export interface Query {
  readonly lang?: string;
  readonly way?: string;
  readonly choose?: string;
  readonly details?: string;
  readonly again?: string;
  readonly changed?: string;
  readonly receipt?: Receipt;
}

/** The values of `receipt` in addresses: the e-mail with it is on its way, its address is wrong, or no more are sent. */
const RECEIPTS = ["sent", "wrong", "full"] as const;
export type Receipt = (typeof RECEIPTS)[number];

/** The value of `choose` in addresses. */
const CHOOSE = "1";
/** The same, with the card's installments open. */
export const CHOOSE_CARD = "card";
/** The value of `details` in addresses: the payer enters others than those given before. */
export const OTHER_DETAILS = "other";
/** The value of `changed` in addresses: the payer has seen other prices. */
export const CHANGED = "1";
// In the address of a page that there is not.
const UNKNOWN = "unknown";

/**
 * Returns the context of a page for this payer, at the request's path or at another. Stores a language that the query
 * names in a cookie.
 */
export function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  path: Partial<PathParameters> = request.params as Partial<PathParameters>,
  query = request.query as Query,
): PageContext {
  const { cookie, "accept-language": accepted } = request.headers;
  const language = languageOf(query.lang, cookie, accepted);
  if (named(query.lang)) {
    reply.header("set-cookie", languageCookie(language, "/pay"));
  }
  return {
    language,
    t: messagesIn(language),
    format: formatOf(language),
    nonces: reply.cspNonce,
    origin: `${request.protocol}://${request.host}`,
    connectTo: (address) => allowConnection(reply, address),
    readAt: request.method === "POST" ? readAddressOf(path, query) : undefined,
    otherLanguage: readAddressOf(path, query, otherThan(language)),
    assets: ASSETS,
  };
}

/** Returns the address at which a page can be read, also for a page that answers a form. */
export function addressOf({ link = "", session }: Partial<PathParameters>): string {
  const path = `/pay/${encodeURIComponent(link)}`;
  return session === undefined ? path : `${path}/${encodeURIComponent(session)}`;
}

/** Repeats nothing of an address that is not of ours: a payer may have typed anything there. */
function readAddressOf(
  path: Partial<PathParameters>,
  { way, choose, details, changed, receipt }: Query,
  lang?: Language,
): string {
  const { link = "", session } = path;
  const known = {
    link: isId("pl", link) ? link : UNKNOWN,
    ...(session === undefined ? {} : { session: isId("cs", session) ? session : UNKNOWN }),
  };
  const query = defined({
    way: readOption(way) ? way : undefined,
    choose: choose === CHOOSE || choose === CHOOSE_CARD ? choose : undefined,
    details: details === OTHER_DETAILS ? details : undefined,
    changed: changed === CHANGED ? changed : undefined,
    receipt: RECEIPTS.find((one) => one === receipt),
    lang,
  });
  const text = new URLSearchParams(query).toString();
  return `${addressOf(known)}${text === "" ? "" : `?${text}`}`;
}
