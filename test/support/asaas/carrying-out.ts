import { readFields } from "../provider/json.ts";
import type { MadeAnswer, ProviderRequest } from "../provider/server.ts";
import { checkoutPage, payCheckoutPage } from "./checkout-page.ts";
import { expireCheckouts } from "./checkouts.ts";
import type { AsaasDeps } from "./deps.ts";
import { settleDue } from "./finance.ts";
import { invoicePage, payInvoice } from "./invoice-page.ts";
import { accountOf, type AsaasMode } from "./keys.ts";
import { counted } from "./limits.ts";
import { markOverdue, paymentOfInvoice } from "./payments.ts";
import { invalid, notFound, Problem, problemOf } from "./problem.ts";
import { routeOf, type CallName } from "./routes.ts";
import type { Account } from "./state.ts";

export const BASE = "/v3";
const PAGE = /^\/(i|checkoutSession\/show)\/([^/]+)$/;

interface CarryingOutDeps {
  readonly deps: AsaasDeps;
  readonly accounts: readonly Account[];
  readonly mode: AsaasMode;
  callsMax(): number;
}

export function callOf({ method, url }: ProviderRequest): CallName | null {
  if (url.pathname.startsWith(BASE))
    return routeOf(method, url.pathname.slice(BASE.length))?.route.call ?? null;
  const [, kind] = PAGE.exec(url.pathname) ?? [];
  if (kind === undefined) return null;
  if (kind === "i") return method === "POST" ? "payInvoice" : "invoicePage";
  return method === "POST" ? "payCheckout" : "checkoutPage";
}

/** Carries a call or a page out, after what the time has brought by then. */
export function carryOut(request: ProviderRequest, from: CarryingOutDeps): MadeAnswer {
  for (const account of from.accounts) keepTime(account, from.deps);
  try {
    return request.url.pathname.startsWith(BASE) ? answerCall(request, from) : answerPage(request, from);
  } catch (error) {
    if (error instanceof Problem) return error.answer();
    throw error;
  }
}

/** What happens by itself as time goes on. */
export function keepTime(account: Account, deps: AsaasDeps): void {
  markOverdue(account, deps);
  settleDue(account, deps);
  expireCheckouts(account, deps);
}

function answerCall({ method, url, headers, text }: ProviderRequest, from: CarryingOutDeps): MadeAnswer {
  const { deps, accounts, mode } = from;
  const account = accountOf(headers, accounts, mode);
  const limits = counted(account, deps.clock, from.callsMax());
  const found = routeOf(method, url.pathname.slice(BASE.length));
  if (!found) throw problemOf(404);
  // Its front refuses a GET with a body.
  if (method === "GET" && text !== "") throw problemOf(403);
  const body = text === "" ? {} : readFields(text);
  if (!body) throw invalid("object", "O corpo não é um objeto JSON.");
  const made = found.route.carryOut({ account, id: found.id, query: url.searchParams, body, deps });
  if (made === null) return { status: 204, contentType: null, text: "", headers: limits };
  return {
    status: 200,
    contentType: "application/json;charset=UTF-8",
    text: JSON.stringify(made),
    headers: limits,
  };
}

function answerPage({ method, url, text }: ProviderRequest, { deps, accounts }: CarryingOutDeps): MadeAnswer {
  const [, kind, id = ""] = PAGE.exec(url.pathname) ?? [];
  const form = new URLSearchParams(text);
  if (kind === "i") {
    const [account, payment] = paymentOfInvoice(accounts, id);
    return method === "POST" ? payInvoice(account, payment, form, deps) : invoicePage(account, payment);
  }
  const account = accounts.find(({ checkouts }) => checkouts.has(id));
  const checkout = account?.checkouts.get(id);
  if (!account || !checkout) throw notFound("Página");
  return method === "POST" ? payCheckoutPage(account, checkout, form, deps) : checkoutPage(account, checkout);
}
