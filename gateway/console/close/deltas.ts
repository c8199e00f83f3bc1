import { SealDeltaKind, type SealDelta } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, longText, namedId, shortCode, shortId } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { differenceOf, type Difference } from "./differences.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const KINDS: Readonly<Record<SealDeltaKind, MessageKey>> = {
  [SealDeltaKind.UNSPECIFIED]: "kind_changed",
  [SealDeltaKind.CHANGED]: "kind_changed",
  [SealDeltaKind.NEW]: "kind_new",
  [SealDeltaKind.GONE]: "kind_gone",
};

/** Returns the kind of a change, as a word of the file of changes. */
export function deltaWord({ kind }: SealDelta): string {
  return (KINDS[kind] ?? "kind_changed").slice("kind_".length);
}

/** Returns the table of changes since the seal: what changed and what to do, with both rows folded. */
export function deltaTable(visit: Visit, deltas: readonly SealDelta[]): Html {
  const t = messagesIn(visit.language);
  return table({
    caption: t("deltas"),
    columns: [{ title: t("payment") }, { title: t("kind") }, { title: t("fields") }, { title: t("to_do") }],
    rows: deltas.map((delta) => {
      const difference = differenceOf(visit, delta);
      return [
        paymentCell(visit, delta, difference),
        badge("warn", t(KINDS[delta.kind] ?? "kind_changed")),
        html`<ul class="plain">
            ${difference.lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}
          </ul>
          ${technicalPart(visit, delta)}`,
        difference.advice,
      ];
    }),
    empty: html`<p>${t("deltas_none")}</p>`,
  });
}

function paymentCell(visit: Visit, { kind, paymentId }: SealDelta, { payment }: Difference): Html {
  if (kind === SealDeltaKind.GONE) return shortCode(visit, paymentId);
  const path = `/payments/${paymentId}`;
  const reference = payment?.reference ?? "";
  return reference === "" ? shortId(visit, paymentId, path) : namedId(visit, reference, paymentId, path);
}

/** Returns the names of the fields that differ and both rows, as the API and the files have them. */
function technicalPart(visit: Visit, { paymentId, sealedRow, currentRow }: SealDelta): Html {
  const t = messagesIn(visit.language);
  const names = changedNames(sealedRow, currentRow);
  const row = (title: string, text: string | undefined): Html | "" =>
    text === undefined
      ? ""
      : html`<p>${title}</p>
          ${longText(visit, text)}`;
  return html`<details>
    <summary>${t("technical")}</summary>
    <p><code class="id">${paymentId}</code></p>
    ${names.length === 0 ? "" : html`<p>${names.map((name) => html`<code>${name}</code> `)}</p>`}
    ${row(t("sealed_row"), sealedRow)} ${row(t("current_row"), currentRow)}
  </details>`;
}

function changedNames(sealedRow: string | undefined, currentRow: string | undefined): string[] {
  if (sealedRow === undefined || currentRow === undefined) return [];
  const [then = {}, now = {}] = [sealedRow, currentRow].map(
    (text) => JSON.parse(text) as Record<string, unknown>,
  );
  return [...new Set([...Object.keys(then), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(then[name]) !== JSON.stringify(now[name]),
  );
}
