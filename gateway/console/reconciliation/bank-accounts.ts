import {
  CreateBankAccountRequestSchema,
  type BankAccount,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { defined } from "../../../contract/defined.ts";
import { html, type Html } from "../../pages/html.ts";
import { Typed } from "../fields/typed.ts";
import type { Field } from "../form/field.ts";
import { form, type FormParts } from "../form/form.ts";
import type { Sent } from "../form/sent.ts";
import { list } from "../list/list.ts";
import { doneNotice } from "../parts/done.ts";
import { cut } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { MAPPING_FIELDS, mappingFaults, mappingFields, mappingOf, type MappingName } from "./mapping.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";
import { accountName, accountOptions, bankAccounts, paths, pathText } from "./words.ts";

const LIST = "/reconciliation/accounts";
/** The core keeps no more. */
const ACCOUNTS_MAX = 100;

type Name = "name" | "provider_account_id" | "path" | "mapping" | MappingName;

const accountList = list({
  path: LIST,
  permission: "reconciliation.read",
  messages: messagesIn,
  title: "bank_accounts",
  lead: "bank_accounts_lead",
  trail: { path: "/reconciliation", title: "title" },
  above: ({ visit, t }) => doneNotice(visit, t, { saved: "saved" }),
  fetch: async (visit) => ({ rows: await bankAccounts(visit) }),
  columns: ({ visit, t }) => ({
    name: ({ id, name }) =>
      html`<a href="${withQuery(visit.path("/reconciliation/lines"), { account: id })}">${cut(name)}</a>`,
    provider_account: ({ providerAccountId: id }) => (id === undefined ? "—" : providerLink(visit, id)),
    path: ({ path }) => pathText(visit, path),
    imported_until: ({ importedUntil: day }) => (day === undefined ? "—" : visit.format.day(day)),
    ...(visit.can("reconciliation.write")
      ? { action: (account: BankAccount) => actions(visit, t, account) }
      : {}),
  }),
  empty: () => ["bank_accounts_none"],
  create: {
    path: `${LIST}/new`,
    permission: "reconciliation.write",
    label: "new_bank_account",
    isFull: ({ rows }) => rows.length >= ACCOUNTS_MAX,
  },
});

const FIELDS: Readonly<Record<Name, Field<MessageKey>>> = {
  name: { kind: "text", label: "name" },
  provider_account_id: {
    kind: "select",
    label: "provider_account",
    help: "provider_account_help",
    options: (t, visit) => [["", t("no_provider")], ...accountOptions(visit)],
  },
  path: {
    kind: "select",
    label: "path",
    options: (t) => paths.all.map((word) => [word, t(`path_${word}`)]),
  },
  ...MAPPING_FIELDS,
};

const FORM = {
  permission: "reconciliation.write",
  section: "/reconciliation",
  messages: messagesIn,
  request: CreateBankAccountRequestSchema,
  fields: FIELDS,
  from: (t: Translate) => ({ path: LIST, title: t("bank_accounts") }),
  faults: (_visit: Visit, typed: Typed, t: Translate) => mappingFaults(typed, t),
  explain: accountProblems,
} satisfies Partial<FormParts<MessageKey, Name, never>>;

/** Adds the list of bank accounts, and the forms that create and change one. */
export function bankAccountRoutes(routes: ConsoleRoutes): void {
  accountList.addTo(routes);
  form<MessageKey, Name, undefined>(routes, {
    ...FORM,
    path: `${LIST}/new`,
    title: "new_bank_account",
    button: "create",
    initial: () => mappingFields(undefined),
    act: async (visit, sent) => {
      await visit.core.reconciliation.createBankAccount(requestOf(visit, sent), visit.as);
      return `${LIST}?done=saved`;
    },
  });
  form<MessageKey, Name, BankAccount>(routes, {
    ...FORM,
    path: `${LIST}/:id/edit`,
    title: "edit_bank_account",
    load: bankAccountOf,
    initial: ({ name, providerAccountId, path, mapping }) => ({
      name,
      ...defined({ provider_account_id: providerAccountId, path: paths.wordOf(path) }),
      ...mappingFields(mapping),
    }),
    act: async (visit, sent) => {
      const request = { id: sent.loaded.id, ...requestOf(visit, sent) };
      await visit.core.reconciliation.updateBankAccount(request, visit.as);
      return `${LIST}?done=saved`;
    },
  });
}

/** Returns the bank account in the path. Throws Refused when the company has no such one. */
export async function bankAccountOf(visit: Visit): Promise<BankAccount> {
  const id = visit.part("id");
  const account = (await bankAccounts(visit)).find((one) => one.id === id);
  if (!account) throw new Refused("unknown", visit);
  return account;
}

function requestOf(visit: Visit, sent: Sent<MessageKey, Name, unknown>) {
  const account = sent.choice("provider_account_id");
  const providerAccountId = account === "" ? undefined : account;
  const path = providerAccountId === undefined ? undefined : paths.numberOf(sent.choice("path"));
  return {
    name: sent.text("name"),
    ...defined({ providerAccountId, path, mapping: mappingOf(Typed.sent(visit)) }),
  };
}

/** Returns the problems by the fields of the form. The core names a mapping as a whole. */
function accountProblems(t: Translate, problems: Problems): Problems {
  return new Map(
    [...problems].map(([field, text]) => {
      if (field === "mapping") return ["column_day", t("mapping_refused", { problem: text })];
      return field === "provider_account_id" ? [field, t("bank_account_refused")] : [field, text];
    }),
  );
}

function providerLink(visit: Visit, id: string): Html {
  const address = withQuery(visit.path("/reconciliation/statements"), { account: id });
  return html`<a href="${address}">${cut(accountName(visit, id))}</a>`;
}

function actions(visit: Visit, t: Translate, { id, name }: BankAccount): Html {
  const link = (what: "import" | "edit"): Html =>
    html`<a class="button" href="${visit.path(`${LIST}/${id}/${what}`)}"
      >${t(what)} <span class="hidden">${name}</span></a
    >`;
  return html`<span class="row-actions">${link("import")} ${link("edit")}</span>`;
}
