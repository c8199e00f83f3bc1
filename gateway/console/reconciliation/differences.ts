import {
  DifferenceKind,
  Leg,
  Side,
  type Difference,
  type Line,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Visit } from "../visit.ts";
import { lineTable, sideText } from "./lines.ts";
import { messagesIn } from "./messages.ts";
import { accountName, size } from "./words.ts";

const WORDS: Readonly<Record<Leg, "books" | "bank">> = {
  [Leg.UNSPECIFIED]: "books",
  [Leg.BOOKS]: "books",
  [Leg.BANK]: "bank",
};

const SHORT_KEY = 8;

/** Returns how lines differ, in a sentence. */
export function differenceText(visit: Visit, difference: Difference): string {
  const t = messagesIn(visit.language);
  const { kind, leg, feeExpected, feeCharged, dueOn, reason = "", lines } = difference;
  const words = WORDS[leg] ?? "books";
  const amount = size(visit, difference.amount);
  const isLess = difference.amount < 0n;
  switch (kind) {
    case DifferenceKind.MISSING_HERE:
      return t(`${words}_missing_here${isLess ? "_out" : ""}`, { amount });
    case DifferenceKind.MISSING_THERE:
      // The side that has it is the other one.
      return t(`${words}_missing_there${isLess ? "" : "_out"}`, { amount });
    case DifferenceKind.AMOUNT_DIFFERS:
      return t(`${words}_${isLess ? "less" : "more"}`, { amount });
    case DifferenceKind.FEE_DIFFERS:
      return t("fee_differs", {
        amount,
        charged: size(visit, feeCharged ?? 0n),
        expected: size(visit, feeExpected ?? 0n),
      });
    case DifferenceKind.DOUBLED:
      return t("doubled", { amount, side: sideText(visit, doubledSide(lines)) });
    case DifferenceKind.IN_TRANSIT:
      // Below 0, the other side lacks money that comes in.
      return t(isLess ? "in_transit" : "in_transit_out", {
        amount,
        day: dueOn === undefined ? "—" : visit.format.day(dueOn),
      });
    case DifferenceKind.DECIDED:
      return t("decided", { amount, reason });
    default:
      return t("other_difference", { amount });
  }
}

/** Returns the side that has the most of the lines. */
function doubledSide(lines: readonly Line[]): Side {
  const counts = [Side.OURS, Side.THEIRS, Side.BANK].map((side) => {
    return { side, count: lines.filter((line) => line.side === side).length };
  });
  return counts.toSorted((one, other) => other.count - one.count)[0]?.side ?? Side.THEIRS;
}

/** Returns a difference with its lines on each side. With `chosen` each line has a box. */
export function differencePart(visit: Visit, difference: Difference, chosen?: readonly string[]): Html {
  const t = messagesIn(visit.language);
  const { accountId, lines, lineCount } = difference;
  const text = differenceText(visit, difference);
  const more = lineCount - lines.length;
  return html`<section class="difference">
    <h3>${text}</h3>
    ${accountId === undefined ? "" : html`<p class="quiet">${accountName(visit, accountId)}</p>`}
    ${chosen && lines.length > 1 ? wholeBox(visit, lines, chosen) : ""}
    ${lineTable(visit, captionOf(text, lines), lines, chosen)}
    ${more > 0 ? html`<p class="quiet">${t("more_lines", { count: more })}</p>` : ""}
  </section>`;
}

/** Returns what a difference's lines are called: others of the day may be of one amount and kind. */
export function captionOf(text: string, [first]: readonly Line[]): string {
  return first ? `${text} …${first.key.slice(-SHORT_KEY)}` : text;
}

/** Returns the box of all lines of a difference, which is sent as `lines`. */
function wholeBox(visit: Visit, lines: readonly Line[], chosen: readonly string[]): Html {
  const isChosen = lines.every(({ key }) => chosen.includes(key));
  return html`<label class="choice"
    ><input
      type="checkbox"
      name="lines"
      value="${lines.map(({ key }) => key).join("\n")}"
      ${isChosen ? html` checked` : ""}
    />
    <span>${messagesIn(visit.language)("whole_difference")}</span></label
  >`;
}
