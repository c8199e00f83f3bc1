import { Side, type Line } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { cut, shortCode, shortId } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { bookLineText, kindText, statementText } from "./words.ts";

const SIDES: Readonly<Record<Side, MessageKey>> = {
  [Side.UNSPECIFIED]: "theirs",
  [Side.OURS]: "ours",
  [Side.THEIRS]: "theirs",
  [Side.BANK]: "bank",
};

export function sideText(visit: Visit, side: Side): string {
  return messagesIn(visit.language)(SIDES[side] ?? "theirs");
}

/** Returns lines of several sides as a table. With `chosen` each has a box that is sent as `line`. */
export function lineTable(
  visit: Visit,
  caption: string,
  lines: readonly Line[],
  chosen?: readonly string[],
): Html {
  const t = messagesIn(visit.language);
  const box = ({ key, side }: Line, checked: readonly string[]): Html =>
    html`<label class="choice"
      ><input type="checkbox" name="line" value="${key}" ${checked.includes(key) ? html` checked` : ""} />
      <span>${sideText(visit, side)}</span></label
    >`;
  return rowTable(t, {
    caption,
    rows: lines,
    columns: {
      side: (line) => (chosen ? box(line, chosen) : sideText(visit, line.side)),
      day: ({ day }) => html`<span class="nowrap">${visit.format.day(day)}</span>`,
      kind: ({ kind, installment }) =>
        `${kindText(visit, kind)}${installment === undefined ? "" : ` ${installment}`}`,
      what: (line) =>
        cut(line.side === Side.OURS ? bookLineText(visit, line.text) : statementText(visit, line)),
      ids: (line) => ids(visit, line),
      amount: ({ amount, currency }) => visit.format.money(amount, currency),
    },
    numbers: ["amount"],
    empty: html`<p>${t("lines_none")}</p>`,
  });
}

/** Returns what a line is known by: the link to its payment, or the end of the best id that it has. */
function ids(visit: Visit, line: Line): Html | string {
  const { paymentId, endToEndId, reference, providerPaymentId, foreignId } = line;
  if (paymentId !== undefined) return shortId(visit, paymentId, `/payments/${paymentId}`);
  const id = endToEndId ?? reference ?? providerPaymentId ?? foreignId;
  return id === undefined || id === "" ? "—" : shortCode(visit, id);
}
