import { findCharge, madeCharge, patchCharge, putCharge, wholeCharge } from "./charges.ts";
import { readBody } from "./checks.ts";
import type { BankClock } from "./clock.ts";
import type { CallName } from "./faults.ts";
import type { Ids } from "./ids.ts";
import { moneyBody, returnBody, webhookBody, type TimeForm } from "./messages.ts";
import { askReturn, findMoney, returnList, shownReturn, statement, type ReturnRules } from "./money.ts";
import { Problem } from "./problem.ts";
import { askReport, readReport } from "./reports.ts";
import type { Fields, Account, Money, Return, Scope } from "./state.ts";

/** What a call works with. */
interface CallContext {
  readonly account: Account;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly text: string;
  readonly contentType: string | undefined;
  readonly clock: BankClock;
  readonly ids: Ids;
  readonly form: TimeForm;
  readonly rules: ReturnRules;
  /** How often a report is answered as not made. */
  readonly reportWaits: number;
  /** True: callbacks may go over http. */
  readonly isHttpAllowed: boolean;
  /** Told of a new return after its answer was made. */
  readonly onReturn: (money: Money, one: Return) => void;
}

interface Route {
  readonly call: CallName;
  readonly method: string;
  readonly path: RegExp;
  readonly scope: Scope;
  readonly carryOut: (
    context: CallContext,
  ) => { readonly status: number; readonly body: Fields | null } | { readonly text: string };
}

const ROUTES: readonly Route[] = [
  {
    call: "createCharge",
    method: "PUT",
    path: /^\/cob\/([^/]+)$/,
    scope: "cob.write",
    carryOut: ({ account, parts: [txid = ""], text, contentType, clock, ids, form }) => {
      const body = readBody(text, contentType, "CobOperacaoInvalida");
      return { status: 201, body: madeCharge(putCharge(account, txid, body, clock, ids), form) };
    },
  },
  {
    call: "changeCharge",
    method: "PATCH",
    path: /^\/cob\/([^/]+)$/,
    scope: "cob.write",
    carryOut: ({ account, parts: [txid = ""], text, contentType, form }) => {
      const body = readBody(text, contentType, "CobOperacaoInvalida");
      return { status: 200, body: madeCharge(patchCharge(account, txid, body), form) };
    },
  },
  {
    call: "readCharge",
    method: "GET",
    path: /^\/cob\/([^/]+)$/,
    scope: "cob.read",
    carryOut: ({ account, parts: [txid = ""], query, form }) => ({
      status: 200,
      body: wholeCharge(findCharge(account, txid), query.get("revisao"), form),
    }),
  },
  {
    call: "statement",
    method: "GET",
    path: /^\/pix$/,
    scope: "pix.read",
    carryOut: ({ account, query, form }) => ({ status: 200, body: statement(account, query, form) }),
  },
  {
    call: "returnList",
    method: "GET",
    path: /^\/pix-bb\/devolucoes$/,
    scope: "pix.read",
    carryOut: ({ account, query, form }) => ({ status: 200, body: returnList(account, query, form) }),
  },
  {
    call: "readMoney",
    method: "GET",
    path: /^\/pix\/([^/]+)$/,
    scope: "pix.read",
    carryOut: ({ account, parts: [id = ""], form }) => ({
      status: 200,
      body: moneyBody(findMoney(account, id), form, true),
    }),
  },
  {
    call: "return",
    method: "PUT",
    path: /^\/pix\/([^/]+)\/devolucao\/([^/]+)$/,
    scope: "pix.write",
    carryOut: ({
      account,
      parts: [endToEndId = "", id = ""],
      text,
      contentType,
      clock,
      ids,
      form,
      rules,
      onReturn,
    }) => {
      const body = readBody(text, contentType, "PixDevolucaoInvalida");
      const money = findMoney(account, endToEndId);
      const isNew = !money.returns.some((one) => one.id === id);
      const made = askReturn(money, id, body, { clock, ids, rules });
      const answer = returnBody(made, form);
      if (isNew) onReturn(money, made);
      return { status: 201, body: answer };
    },
  },
  {
    call: "readReturn",
    method: "GET",
    path: /^\/pix\/([^/]+)\/devolucao\/([^/]+)$/,
    scope: "pix.read",
    carryOut: ({ account, parts: [endToEndId = "", id = ""], clock, form }) => ({
      status: 200,
      body: returnBody(shownReturn(account, endToEndId, id, clock), form),
    }),
  },
  {
    call: "askReport",
    method: "POST",
    path: /^\/gn\/relatorios\/extrato-conciliacao$/,
    scope: "gn.reports.write",
    carryOut: ({ account, text, contentType, reportWaits, clock }) => {
      const body = readBody(text, contentType, "RequisicaoInvalida");
      return { status: 202, body: askReport(account, body, reportWaits, clock) };
    },
  },
  {
    call: "readReport",
    method: "GET",
    path: /^\/gn\/relatorios\/([^/]+)$/,
    scope: "gn.reports.read",
    carryOut: ({ account, parts: [id = ""] }) => readReport(account, id),
  },
  {
    call: "setWebhook",
    method: "PUT",
    path: /^\/webhook\/([^/]+)$/,
    scope: "webhook.write",
    carryOut: ({ account, parts: [key = ""], text, contentType, clock, isHttpAllowed }) => {
      const { webhookUrl: url } = readBody(text, contentType, "WebhookOperacaoInvalida");
      if (!account.client.keys.includes(key)) {
        throw new Problem("WebhookOperacaoInvalida", "a chave não pertence a este usuário recebedor");
      }
      const protocol = typeof url === "string" ? URL.parse(url)?.protocol : undefined;
      if (typeof url !== "string" || !(protocol === "https:" || (isHttpAllowed && protocol === "http:"))) {
        throw new Problem("WebhookOperacaoInvalida", "webhookUrl não respeita o schema");
      }
      account.webhooks.set(key, { url, createdAt: clock.now() });
      return { status: 200, body: null };
    },
  },
  {
    call: "readWebhook",
    method: "GET",
    path: /^\/webhook\/([^/]+)$/,
    scope: "webhook.read",
    carryOut: ({ account, parts: [key = ""], form }) => {
      const body = webhookBody(account, key, form);
      if (!body) throw new Problem("WebhookNaoEncontrado", "webhook não estabelecido");
      return { status: 200, body };
    },
  },
];

/** Returns the call that a method and a path mean, with the parts of its path. */
export function routeOf(method: string, path: string): { route: Route; parts: string[] } | undefined {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match) return { route, parts: match.slice(1).map((part) => decodeURIComponent(part)) };
  }
  return undefined;
}
