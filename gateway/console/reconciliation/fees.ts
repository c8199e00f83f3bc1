import {
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
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { accountName, accountOptions } from "./words.ts";

const PATH = "/reconciliation/fees/:account";
const PROBLEM_STATUS = 422;
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
    act: async (visit) => {
      const accountId = accountOf(visit);
      const fees = sentRows(visit).map((row, index) => feeOf(visit, row, index + 1));
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
    ${inputField({ ...parts("fee_brand"), maxLength: 40 })}
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
      fee_percent: (row) => `${row.fee_percent} %`,
      fee_fixed: (row) => row.fee_fixed,
    },
    numbers: ["fee_from", "fee_to", "fee_percent", "fee_fixed"],
    empty: html`<p>—</p>`,
  });
}

function kindKey(kind: string): MessageKey {
  return kind === "card" ? "fee_card" : "fee_pix";
}

function sentRows(visit: Visit): Row[] {
  return Array.from({ length: ROWS_MAX }, (_, index) => {
    const pairs = NAMES.map((name) => [name, visit.text(`${name}-${index + 1}`).trim()]);
    return Object.fromEntries(pairs) as Row;
  }).filter(({ fee_kind: kind }) => kind !== "");
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

/** Returns a row as a fee. Throws FormProblem on the field that is wrong. */
function feeOf(visit: Visit, row: Row, n: number) {
  const t = messagesIn(visit.language);
  const [from, to] = [row.fee_from, row.fee_to].map((text) =>
    INSTALLMENTS.test(text) ? Number(text) : undefined,
  );
  if (from === undefined || to === undefined || from > to)
    throw new FormProblem(`fee_from-${n}`, t("fee_installments_refused", { n }));
  const percent = PERCENT.exec(row.fee_percent || "0");
  if (!percent) throw new FormProblem(`fee_percent-${n}`, t("fee_percent_refused", { n }));
  const [, whole = "", part = ""] = percent;
  const fixed = minorOf(row.fee_fixed || "0", "BRL", visit.language);
  if (typeof fixed === "string") throw new FormProblem(`fee_fixed-${n}`, t("fee_fixed_refused", { n }));
  return {
    kind: row.fee_kind,
    ...(row.fee_brand === "" ? {} : { brand: row.fee_brand }),
    installmentsFrom: from,
    installmentsTo: to,
    percentPpm: BigInt(`${whole}${part.padEnd(PERCENT_DIGITS, "0")}`),
    fixed,
  };
}
