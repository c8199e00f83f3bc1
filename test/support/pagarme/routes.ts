import { readFields, type Fields } from "../provider/json.ts";
import { cancelCharge, captureCharge, findCharge, findOrder, isHidden } from "./charges.ts";
import type { PagarmeDeps } from "./deps.ts";
import { chargeBody, hookBody, orderBody, transactionBody } from "./messages.ts";
import { createOrder } from "./orders.ts";
import { payablesBody } from "./payables.ts";
import { invalid, notFound } from "./problem.ts";
import { balanceBody, recipientsBody, settlementsBody } from "./settlements.ts";
import type { Account, Hook } from "./state.ts";

/** What a call works with. */
interface Context {
  readonly account: Account;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Fields;
  readonly deps: PagarmeDeps;
  readonly retry: (hook: Hook) => void;
}

type CarryOut = (context: Context) => Fields;

// Each call by its method and path; {id} is the one part that varies.
const CALLS = {
  createOrder: ["POST /orders", ({ account, body, deps }) => orderBody(createOrder(account, body, deps))],
  listOrders: ["GET /orders", (context) => ordersBody(context)],
  readOrder: ["GET /orders/{id}", ({ account, id, deps }) => orderBody(findOrder(account, id, deps))],
  listCharges: ["GET /charges", (context) => chargesBody(context)],
  readCharge: ["GET /charges/{id}", ({ account, id, deps }) => chargeBody(findCharge(account, id, deps))],
  cancelCharge: [
    "DELETE /charges/{id}",
    ({ account, id, body, deps }) => {
      const charge = findCharge(account, id, deps);
      cancelCharge(account, charge, body, deps);
      return chargeBody(charge);
    },
  ],
  captureCharge: [
    "POST /charges/{id}/capture",
    ({ account, id, body, deps }) => {
      const charge = findCharge(account, id, deps);
      captureCharge(account, charge, body, deps);
      return chargeBody(charge);
    },
  ],
  listTransactions: [
    "GET /charges/{id}/transactions",
    ({ account, id, query, deps }) =>
      paged(findCharge(account, id, deps).transactions.toReversed(), query, transactionBody),
  ],
  listPayables: ["GET /payables", ({ account, query, deps }) => payablesBody(account, query, deps)],
  listSettlements: ["GET /settlements", ({ account, query }) => settlementsBody(account, query)],
  listRecipients: ["GET /recipients", ({ account }) => recipientsBody(account)],
  readBalance: ["GET /recipients/{id}/balance", ({ account, deps }) => balanceBody(account, deps)],
  listHooks: ["GET /hooks", ({ account, query }) => paged(account.hooks.toReversed(), query, hookBody)],
  readHook: ["GET /hooks/{id}", ({ account, id }) => hookBody(findHook(account, id))],
  retryHook: [
    "POST /hooks/{id}/retry",
    ({ account, id, retry }) => {
      const hook = findHook(account, id);
      retry(hook);
      return hookBody(hook);
    },
  ],
} as const satisfies Readonly<Record<string, readonly [route: string, carryOut: CarryOut]>>;

/** The calls of the API, as faults name them. */
export type CallName = keyof typeof CALLS | "createToken" | "readToken" | "readKeys" | "listDisputes";

interface Route {
  readonly call: keyof typeof CALLS;
  readonly method: string;
  readonly path: RegExp;
  readonly carryOut: CarryOut;
}

const ROUTES: readonly Route[] = Object.entries(CALLS).map(([call, [route, carryOut]]) => {
  const [method = "", path = ""] = route.split(" ");
  // Some of the official client's paths begin with a capital.
  const pattern = new RegExp(`^${path.replace("{id}", "([^/]+)")}$`, "i");
  return { call: call as keyof typeof CALLS, method, path: pattern, carryOut };
});

/** Returns the call that a method and a path mean, with the id in its path. */
export function routeOf(method: string, path: string): { route: Route; id: string } | undefined {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match) return { route, id: decodeURIComponent(match[1] ?? "") };
  }
  return undefined;
}

export function bodyOf(text: string): Fields {
  const body = text === "" ? {} : readFields(text);
  if (!body) throw invalid("body", "The body is no JSON object.");
  return body;
}

function ordersBody({ account, query, deps }: Context): Fields {
  const found = [...account.orders.values()]
    .filter((order) => !isHidden(order, deps.clock.now()))
    .filter((order) => fits(query, "code", order.code) && fits(query, "status", order.status));
  return paged(found.toReversed(), query, orderBody);
}

function chargesBody({ account, query, deps }: Context): Fields {
  const found = [...account.charges.values()]
    .filter(({ order }) => !isHidden(order, deps.clock.now()))
    .filter((charge) => fits(query, "code", charge.code) && fits(query, "status", charge.status))
    .filter((charge) => fits(query, "order_id", charge.order.id));
  return paged(found.toReversed(), query, chargeBody);
}

function fits(query: URLSearchParams, name: string, value: string): boolean {
  return !query.has(name) || query.get(name) === value;
}

function paged<Row>(rows: readonly Row[], query: URLSearchParams, body: (row: Row) => Fields): Fields {
  const [page, size] = [Number(query.get("page") ?? "1"), Number(query.get("size") ?? "10")];
  if (!Number.isInteger(page) || page < 1) throw invalid("page", "The page is from 1.");
  if (!Number.isInteger(size) || size < 1 || size > 30) throw invalid("size", "The size is from 1 to 30.");
  const data = rows.slice((page - 1) * size, page * size);
  const isMore = rows.length > page * size;
  return {
    data: data.map((row) => body(row)),
    paging: { total: rows.length, ...(isMore ? { next: `page=${page + 1}` } : {}) },
  };
}

function findHook({ hooks }: Account, id: string): Hook {
  const hook = hooks.find((one) => one.id === id);
  if (!hook) throw notFound("Hook");
  return hook;
}
