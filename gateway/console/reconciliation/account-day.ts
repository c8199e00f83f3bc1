import type {
  AccountDay,
  Column,
  StatementDay,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { copyable, facts, time } from "../parts/show.ts";
import { rowTable, withQuery } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { accountName, faultText, stateBadge } from "./words.ts";

type Movement = Exclude<keyof Column, "$typeName" | "$unknown">;

/** The rows of the three columns, in the order in which opening becomes closing. */
const MOVEMENTS = {
  opening: "opening",
  incoming: "incoming",
  fees: "fees",
  returns: "returns",
  outgoing: "outgoing",
  closing: "closing",
  stated: "stated",
} as const satisfies Readonly<Record<Movement, MessageKey>>;

/** Returns one account of a day: our books, the statement and the bank side by side, and what was read of the statement. */
export function accountCard(visit: Visit, day: string, account: AccountDay): Html {
  const t = messagesIn(visit.language);
  const { accountId, state, ours, theirs, bank, bankAccountId, statement, closedAt } = account;
  const name = accountName(visit, accountId);
  const cell = (column: Column | undefined, movement: Movement): string => {
    const amount = column?.[movement];
    return amount === undefined ? "—" : visit.format.money(amount, "BRL");
  };
  const ofDay = { from: day, to: day };
  const statementLines = withQuery(visit.path("/reconciliation/statements"), {
    account: accountId,
    ...ofDay,
  });
  const bankLines = withQuery(visit.path("/reconciliation/lines"), { account: bankAccountId, ...ofDay });
  const caption = t("account_day", { name });
  return html`<section class="card">
    <h2>${name} ${stateBadge(visit, state)}</h2>
    ${rowTable(t, {
      caption,
      rows: Object.keys(MOVEMENTS) as Movement[],
      columns: {
        row: (movement) => t(MOVEMENTS[movement]),
        ours: (movement) => cell(ours, movement),
        theirs: (movement) => cell(theirs, movement),
        bank: (movement) => cell(bank, movement),
      },
      numbers: ["ours", "theirs", "bank"],
      empty: html``,
    })}
    <nav class="quick" aria-label="${caption}">
      <a href="${statementLines}">${t("to_statement_lines")}</a>
      ${bankAccountId === undefined ? "" : html`<a href="${bankLines}">${t("to_bank_lines")}</a>`}
      <a href="${visit.path(`/reconciliation/fees/${accountId}`)}">${t("contracted_fees")}</a>
    </nav>
    ${closedAt ? facts([[t("closed_at"), time(visit, closedAt)]]) : ""}
    ${statement ? statementFacts(visit, accountId, statement) : html`<p class="quiet">${t("statement_none")}</p>`}
  </section>`;
}

function statementFacts(visit: Visit, accountId: string, statement: StatementDay): Html {
  const t = messagesIn(visit.language);
  const { isComplete, lineCount, linesSha256, carries, readAt, fault } = statement;
  const complete = t(isComplete ? "statement_complete" : "statement_incomplete");
  return html`${
    fault === undefined
      ? ""
      : html`<p class="problem">
          ${t("statement_fault", { why: faultText(visit, fault) })} <small><bdi>(${fault})</bdi></small>
        </p>`
  }
  ${facts([
    [t("statement_read"), html`${time(visit, readAt)}, ${complete}`],
    [t("statement_lines"), lineCount.toLocaleString(visit.language)],
    [t("statement_carries"), carries === undefined ? t("no_balance") : t(carries ? "yes" : "no")],
  ])}
  ${linesSha256 === "" ? "" : copyable(visit, `hash-${accountId}`, linesSha256, t("statement_hash"))}`;
}
