import type { MadeAnswer, ProviderRequest } from "../provider/server.ts";
import type { PagarmeDeps } from "./deps.ts";
import { DISPUTES_PATH, disputesBody } from "./disputes.ts";
import { once } from "./idempotency.ts";
import { accountOfPublic, accountOfSecret, corsHeaders } from "./keys.ts";
import { notFound, Problem, problemOf } from "./problem.ts";
import { bodyOf, routeOf, type CallName } from "./routes.ts";
import { JWKS_PATH, type Signing } from "./signing.ts";
import type { Account, Hook } from "./state.ts";
import { createToken, tokenBody } from "./tokens.ts";

export const BASE = "/core/v5";
const TOKENS = `${BASE}/tokens`;

interface CarryingOutDeps {
  readonly deps: PagarmeDeps;
  readonly accounts: readonly Account[];
  readonly signing: Signing;
  isIdempotent(): boolean;
  retry(account: Account, hook: Hook): void;
}

export function callOf({ method, url }: ProviderRequest): CallName | null {
  const path = url.pathname;
  if (path === JWKS_PATH) return "readKeys";
  if (path === DISPUTES_PATH) return "listDisputes";
  if (path === TOKENS) return method === "POST" ? "createToken" : null;
  if (path.startsWith(`${TOKENS}/`)) return method === "GET" ? "readToken" : null;
  return path.startsWith(BASE) ? (routeOf(method, path.slice(BASE.length))?.route.call ?? null) : null;
}

/** Carries a call out, with its refusals. */
export function carryOut(request: ProviderRequest, from: CarryingOutDeps): MadeAnswer {
  const path = request.url.pathname;
  if (path === TOKENS) return answerBrowser(request, from);
  return refusalsIn(() => {
    if (path === JWKS_PATH) return json(from.signing.jwks());
    if (path.startsWith(`${TOKENS}/`)) return readToken(request, from);
    const account = accountOfSecret(request, from.accounts);
    if (path === DISPUTES_PATH) return json(disputesBody(account, request.url.searchParams));
    // It promises nothing of other calls, and looks at no key of theirs.
    const hasKey = callOf(request) === "createOrder" && from.isIdempotent();
    const key = hasKey ? request.headers["idempotency-key"] : undefined;
    const make = (): MadeAnswer => refusalsIn(() => answerCall(request, account, from));
    return once(account, typeof key === "string" ? key : undefined, from.deps.clock, make);
  });
}

function answerCall(
  { method, url, text }: ProviderRequest,
  account: Account,
  from: CarryingOutDeps,
): MadeAnswer {
  const found = routeOf(method, url.pathname.slice(BASE.length));
  if (!found) throw problemOf(404);
  const { route, id } = found;
  const retry = (hook: Hook): void => from.retry(account, hook);
  return json(
    route.carryOut({ account, id, query: url.searchParams, body: bodyOf(text), deps: from.deps, retry }),
  );
}

/** Shows what may be seen of a token, which is not used by that. */
function readToken({ method, url }: ProviderRequest, { accounts }: CarryingOutDeps): MadeAnswer {
  const id = url.pathname.slice(TOKENS.length + 1);
  const token = accountOfPublic(url.searchParams, accounts).tokens.get(id);
  if (method !== "GET" || !token) throw notFound("Token");
  return json(tokenBody(token));
}

/** Answers a payer's browser, which asks first whether it may ask. */
function answerBrowser(request: ProviderRequest, { deps, accounts }: CarryingOutDeps): MadeAnswer {
  const { method, url, text } = request;
  const account = accounts.find(({ publicKey }) => publicKey === url.searchParams.get("appId"));
  const headers = corsHeaders(request, account);
  if (method === "OPTIONS") return { status: 204, contentType: null, text: "", headers };
  const made = refusalsIn(() => {
    if (method !== "POST") throw problemOf(404);
    return json(tokenBody(createToken(accountOfPublic(url.searchParams, accounts), bodyOf(text), deps)));
  });
  return { ...made, headers };
}

function refusalsIn(make: () => MadeAnswer): MadeAnswer {
  try {
    return make();
  } catch (error) {
    if (error instanceof Problem) return error.answer();
    throw error;
  }
}

function json(body: object): MadeAnswer {
  return { status: 200, contentType: "application/json; charset=utf-8", text: JSON.stringify(body) };
}
