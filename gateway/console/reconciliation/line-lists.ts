import {
  ListBankLinesRequestSchema,
  ListStatementLinesRequestSchema,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { defined } from "../../../contract/defined.ts";
import { html, type Html } from "../../pages/html.ts";
import { minorOf } from "../fields/money-text.ts";
import { Filters } from "../list/filters.ts";
import { list } from "../list/list.ts";
import { figuresOf } from "../parts/figures.ts";
import type { Option } from "../parts/form.ts";
import { cut, notice, shortCode, shortId } from "../parts/show.ts";
import { FormProblem } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { accountOptions, bankAccounts, kindText, ruleText, statementText } from "./words.ts";

const PAGE = 20;
const [BANK, STATEMENTS] = ["/reconciliation/lines", "/reconciliation/statements"] as const;
const SIGN = /^[+−-]/;

const bankFilters = new Filters(ListBankLinesRequestSchema, messagesIn, {
  account: {
    kind: "choice",
    field: "bankAccountId",
    label: "account",
    all: "choose_account",
    options: bankAccountOptions,
  },
  from: { kind: "day", label: "from" },
  to: { kind: "day", label: "to" },
  open: {
    kind: "choice",
    field: "isOpen",
    label: "open_only",
    all: "all_lines",
    options: (_, t) => [["yes", t("without_match")]],
  },
  amount: { kind: "search", label: "amount_search" },
});

const statementFilters = new Filters(ListStatementLinesRequestSchema, messagesIn, {
  account: {
    kind: "choice",
    field: "accountId",
    label: "account",
    all: "choose_account",
    options: accountOptions,
  },
  from: { kind: "day", label: "from" },
  to: { kind: "day", label: "to" },
  amount: { kind: "search", label: "amount_search" },
});

/** The lines of a bank account, with their matches. */
const bankLines = list({
  path: BANK,
  permission: "reconciliation.read",
  messages: messagesIn,
  title: "bank_lines",
  lead: "bank_lines_lead",
  trail: { path: "/reconciliation", title: "title" },
  filters: bankFilters,
  above: imported,
  fetch: async (visit, { values, cursor }) => {
    const { account, from, to, open } = values;
    const amount = amountOf(visit, values.amount);
    if (account === "") return { rows: [] };
    const { lines, nextCursor } = await visit.core.reconciliation.listBankLines(
      {
        bankAccountId: account,
        ...period(from, to),
        ...cursor,
        ...defined({ amount }),
        isOpen: open === "yes",
        limit: PAGE,
      },
      visit.as,
    );
    return { rows: lines, next: nextCursor };
  },
  actions: ({ visit, t, values: { account } }) =>
    account !== "" && visit.can("reconciliation.write")
      ? html`<a class="button primary" href="${visit.path(`/reconciliation/accounts/${account}/import`)}"
          >${t("import")}</a
        >`
      : "",
  columns: ({ visit }) => ({
    day: ({ day }) => dayLink(visit, day),
    amount: ({ amount, currency }) => visit.format.money(amount, currency),
    what: ({ text }) => cut(text, "action"),
    document: ({ bankId }) => cut(bankId === "" ? "—" : bankId, "reference"),
    match: ({ matchId }) => matchLink(visit, matchId),
    rule: ({ rule, matchId }) => (matchId === undefined ? "—" : ruleText(visit, rule)),
  }),
  numbers: ["amount"],
  empty: ({ values }) => [values.account === "" ? "choose_account" : "lines_none"],
});

/** The lines of a provider account's statement, with their matches. */
const statementLines = list({
  path: STATEMENTS,
  permission: "reconciliation.read",
  messages: messagesIn,
  title: "statement_lines_title",
  lead: "statement_lines_lead",
  trail: { path: "/reconciliation", title: "title" },
  filters: statementFilters,
  fetch: async (visit, { values, cursor }) => {
    const { account, from, to } = values;
    const amount = amountOf(visit, values.amount);
    if (account === "") return { rows: [] };
    const { lines, nextCursor } = await visit.core.reconciliation.listStatementLines(
      { accountId: account, ...period(from, to), ...cursor, ...defined({ amount }), limit: PAGE },
      visit.as,
    );
    return { rows: lines, next: nextCursor };
  },
  actions: ({ visit, t, values: { account } }) =>
    account === ""
      ? ""
      : html`<a class="button" href="${visit.path(`/reconciliation/fees/${account}`)}"
          >${t("contracted_fees")}</a
        >`,
  columns: ({ visit }) => ({
    day: ({ day }) => dayLink(visit, day),
    amount: ({ amount, currency }) => visit.format.money(amount, currency),
    kind: ({ kind }) => kindText(visit, kind),
    what: (line) => cut(statementText(visit, line)),
    ids: ({ endToEndId, reference, providerPaymentId, providerLineId }) =>
      shortCode(visit, endToEndId ?? reference ?? providerPaymentId ?? providerLineId),
    books_match: ({ booksMatchId }) => matchLink(visit, booksMatchId),
    bank_match: ({ bankMatchId }) => matchLink(visit, bankMatchId),
  }),
  numbers: ["amount"],
  empty: ({ values }) => [values.account === "" ? "choose_account" : "lines_none"],
});

/** Adds the lists of the lines of bank accounts and of statements. Without an account in the address they show the first. */
export function lineRoutes(routes: ConsoleRoutes): void {
  routes.page(BANK, "reconciliation.read", async (visit) => {
    const values = bankFilters.read((name) => visit.query[name]);
    return await bankLines.show(visit, { values: await withAccount(visit, values, bankAccountOptions) });
  });
  routes.page(STATEMENTS, "reconciliation.read", async (visit) => {
    const values = statementFilters.read((name) => visit.query[name]);
    return await statementLines.show(visit, { values: await withAccount(visit, values, accountOptions) });
  });
}

/** Returns the filters with the first account, if the address has none. */
async function withAccount<Found extends { readonly account: string }>(
  visit: Visit,
  values: Found,
  options: (visit: Visit) => readonly Option[] | Promise<readonly Option[]>,
): Promise<Found> {
  if (visit.query["account"] !== undefined) return values;
  const [first] = await options(visit);
  return { ...values, account: first?.[0] ?? "" };
}

async function bankAccountOptions(visit: Visit): Promise<Option[]> {
  return (await bankAccounts(visit)).map(({ id, name }) => [id, name]);
}

/** Returns what an import did, if this session has just made one. */
function imported({
  visit,
  t,
}: {
  readonly visit: Visit;
  readonly t: ReturnType<typeof messagesIn>;
}): Html | "" {
  const { imported: count, known } = figuresOf(visit, ["imported", "known"]);
  if (count === undefined || known === undefined) return "";
  const number = (value: number): string => value.toLocaleString(visit.language);
  return notice(t("imported", { imported: number(count), known: number(known) }));
}

function period(from: string, to: string): { readonly from?: string; readonly to?: string } {
  return defined({ from: from === "" ? undefined : from, to: to === "" ? undefined : to });
}

/** Returns the amount that is searched for, without its sign: who searches need not know which side's it is. */
function amountOf(visit: Visit, text: string): bigint | undefined {
  if (text === "") return undefined;
  const amount = minorOf(text.replace(SIGN, "").trim(), "BRL", visit.language);
  if (typeof amount === "string")
    throw new FormProblem("amount", messagesIn(visit.language)("amount_refused"));
  return amount;
}

function dayLink(visit: Visit, day: string): Html {
  return html`<a class="nowrap" href="${visit.path(`/reconciliation/days/${day}`)}"
    >${visit.format.day(day)}</a
  >`;
}

function matchLink(visit: Visit, id: string | undefined): Html | string {
  if (id === undefined) return messagesIn(visit.language)("unmatched");
  return shortId(visit, id, `/reconciliation/matches/${id}`);
}
