import {
  ContractedFeeSchema,
  PutContractedFeesRequestSchema,
  type ContractedFee,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { decimalText } from "../../../contract/decimal.ts";
import { html, type Html } from "../../pages/html.ts";
import { minorOf } from "../fields/money-text.ts";
import { limitOf } from "../form/limits.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { inputField, postForm, problemList, selectField } from "../parts/form.ts";
import { rowTable, withQuery } from "../parts/table.ts";
import { allProblems, FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { accountName, accountOptions } from "./words.ts";

const PATH = "/reconciliation/fees/:account";
const PROBLEM_STATUS = 422;
const BRAND_MAX = limitOf(ContractedFeeSchema.field.brand, "maxLength");
const SPARE_ROWS = 2;
const ROWS_MAX = limitOf(PutContractedFeesRequestSchema.field.fees, "maxItems");
const INSTALLMENTS = /^[1-9]\d?$/;
const PERCENT = /^(\d{1,2}|100)(?:[.,](\d{1,4}))?\s*%?$/;
/** Digits of a percentage after its sign: it has millionths of the whole. */
const PERCENT_DIGITS = 4;
const MINOR_DIGITS = 2;

/** The fields of a row, each of which a form sends as often as it has rows. */
const NAMES = ["fee_kind", "fee_brand", "fee_from", "fee_to", "fee_percent", "fee_fixed"] as const;
type Row = Readonly<Record<(typeof NAMES)[number], string>>;
const EMPTY: Row = {
  fee_kind: "",
  fee_brand: "",
  fee_from: "1",
  fee_to: "1",
  fee_percent: "",
  fee_fixed: "",
};

/** Adds the page of the fees that a provider account has agreed with its provider. */
export function feeRoutes(routes: ConsoleRoutes): void {
  routes.page(PATH, "reconciliation.read", async (visit) => {
    const { fees } = await visit.core.reconciliation.listContractedFees(
      { accountId: accountOf(visit) },
      visit.as,
    );
    return await visit.show(
      feesPage(
        visit,
        fees.map((fee) => rowOf(visit, fee)),
        NO_PROBLEMS,
      ),
    );
  });
  routes.change(PATH, "reconciliation.write", {
    faults: (visit) => allProblems(sentRows(visit).flatMap((row, index) => readersOf(visit, row, index + 1))),
    act: async (visit) => {
      const accountId = accountOf(visit);
      const rows = sentRows(visit).filter(({ fee_kind: kind }) => kind !== "");
      const fees = rows.map((row, index) => feeOf(visit, row, index + 1));
      await visit.core.reconciliation.putContractedFees({ accountId, fees }, visit.as);
      return visit.goTo(withQuery(visit.path(PATH.replace(":account", accountId)), { done: "saved" }));
    },
    refused: async (visit, problems) =>
      await visit.show(feesPage(visit, sentRows(visit), problems), PROBLEM_STATUS),
  });
}

/** Returns the provider account in the path. Throws Refused when this environment has no such one. */
function accountOf(visit: Visit): string {
  const id = visit.part("account");
  if (!accountOptions(visit).some(([known]) => known === id)) throw new Refused("unknown", visit);
  return id;
}

function feesPage(visit: Visit, rows: readonly Row[], problems: Problems): Html {
  const t = messagesIn(visit.language);
  const account = accountOf(visit);
  const path = visit.path(PATH.replace(":account", account));
  const spare = Math.min(SPARE_ROWS, ROWS_MAX - rows.length);
  const all = [...rows, ...Array.from({ length: Math.max(0, spare) }, () => EMPTY)];
  return consolePage(visit, {
    title: t("fees_title", { name: accountName(visit, account) }),
    section: "/reconciliation",
    trail: { path: "/reconciliation", title: t("title") },
    content: html`${doneNotice(visit, t, { saved: "fees_saved" })} ${problemList(visit, problems)}
    ${visit.can("reconciliation.write") ? feeForm(visit, path, all, problems) : feeTable(visit, rows)}`,
  });
}

function feeForm(visit: Visit, path: string, rows: readonly Row[], problems: Problems): Html {
  const t = messagesIn(visit.language);
  return html`<section class="card">
    <p>${t("fees_text")}</p>
    ${postForm(
      visit,
      path,
      html`${rows.map((row, index) => feeFields(visit, row, index + 1, problems))}
        <button class="primary">${visit.t("save")}</button>`,
    )}
  </section>`;
}

/** Returns the fields of a row. Each name is sent once a row, so that its id needs the row's number. */
function feeFields(visit: Visit, row: Row, n: number, problems: Problems): Html {
  const t = messagesIn(visit.language);
  const parts = (name: keyof Row) => ({
    name: `${name}-${n}`,
    label: t(name),
    value: row[name],
    problems,
  });
  const kinds = ["", "pix", "card"].map((kind) => [kind, kind === "" ? "—" : t(kindKey(kind))] as const);
  return html`<fieldset class="filters">
    <legend>${t("fee", { n })}</legend>
    ${selectField({ ...parts("fee_kind"), options: kinds })}
    ${inputField({ ...parts("fee_brand"), maxLength: BRAND_MAX })}
    ${inputField({ ...parts("fee_from"), inputmode: "numeric", maxLength: 2 })}
    ${inputField({ ...parts("fee_to"), inputmode: "numeric", maxLength: 2 })}
    ${inputField({ ...parts("fee_percent"), inputmode: "decimal", maxLength: 9 })}
    ${inputField({ ...parts("fee_fixed"), inputmode: "decimal", maxLength: 20 })}
  </fieldset>`;
}

function feeTable(visit: Visit, rows: readonly Row[]): Html {
  const t = messagesIn(visit.language);
  return rowTable(t, {
    caption: t("contracted_fees"),
    rows,
    columns: {
      fee_kind: (row) => t(kindKey(row.fee_kind)),
      fee_brand: (row) => row.fee_brand || "—",
      fee_from: (row) => row.fee_from,
      fee_to: (row) => row.fee_to,
      fee_percent: (row) => row.fee_percent,
      fee_fixed: (row) => row.fee_fixed,
    },
    numbers: ["fee_from", "fee_to", "fee_percent", "fee_fixed"],
    empty: html`<p>—</p>`,
  });
}

function kindKey(kind: string): MessageKey {
  return kind === "card" ? "fee_card" : "fee_pix";
}

/** Returns the rows of the form, each in its place. */
function sentRows(visit: Visit): Row[] {
  const numbers = Array.from({ length: ROWS_MAX }, (_, index) => index + 1);
  const sent = numbers.filter((n) => visit.texts(`fee_kind-${n}`).length > 0);
  return sent.map((n) => {
    const pairs = NAMES.map((name) => [name, visit.text(`${name}-${n}`).trim()]);
    return Object.fromEntries(pairs) as Row;
  });
}

function rowOf({ language }: Visit, fee: ContractedFee): Row {
  const local = (text: string): string => (language === "en" ? text : text.replace(".", ","));
  return {
    fee_kind: fee.kind,
    fee_brand: fee.brand ?? "",
    fee_from: String(fee.installmentsFrom),
    fee_to: String(fee.installmentsTo),
    fee_percent: local(decimalText(fee.percentPpm, PERCENT_DIGITS)),
    fee_fixed: local(decimalText(fee.fixed, MINOR_DIGITS)),
  };
}

/** Returns what reads a row's fields, each of which throws FormProblem on its own. */
function readersOf(visit: Visit, row: Row, n: number): (() => unknown)[] {
  const t = messagesIn(visit.language);
  return [
    () => {
      if (row.fee_brand.length > BRAND_MAX)
        throw new FormProblem(`fee_brand-${n}`, visit.t("field_too_long_than", { high: BRAND_MAX }));
    },
    () => installmentOf(visit, row, n, "fee_from"),
    () => {
      const from = INSTALLMENTS.test(row.fee_from) ? Number(row.fee_from) : 1;
      if (installmentOf(visit, row, n, "fee_to") < from)
        throw new FormProblem(`fee_to-${n}`, t("fee_installments_refused", { n }));
    },
    () => percentOf(visit, row, n),
    () => fixedOf(visit, row, n),
  ];
}

function installmentOf(visit: Visit, row: Row, n: number, name: "fee_from" | "fee_to"): number {
  if (INSTALLMENTS.test(row[name])) return Number(row[name]);
  throw new FormProblem(`${name}-${n}`, messagesIn(visit.language)("fee_installments_refused", { n }));
}

/** Returns a percentage in millionths of the whole. Throws FormProblem. */
function percentOf(visit: Visit, row: Row, n: number): bigint {
  const [, whole = "", part = ""] = PERCENT.exec(row.fee_percent || "0") ?? [];
  if (whole === "")
    throw new FormProblem(`fee_percent-${n}`, messagesIn(visit.language)("fee_percent_refused", { n }));
  return BigInt(`${whole}${part.padEnd(PERCENT_DIGITS, "0")}`);
}

function fixedOf(visit: Visit, row: Row, n: number): bigint {
  const fixed = minorOf(row.fee_fixed || "0", "BRL", visit.language);
  if (typeof fixed !== "string") return fixed;
  throw new FormProblem(`fee_fixed-${n}`, messagesIn(visit.language)("fee_fixed_refused", { n }));
}

/** Returns a row as a fee. Throws FormProblem on the field that is wrong. */
function feeOf(visit: Visit, row: Row, n: number) {
  return {
    kind: row.fee_kind,
    ...(row.fee_brand === "" ? {} : { brand: row.fee_brand }),
    installmentsFrom: installmentOf(visit, row, n, "fee_from"),
    installmentsTo: installmentOf(visit, row, n, "fee_to"),
    percentPpm: percentOf(visit, row, n),
    fixed: fixedOf(visit, row, n),
  };
}
