import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SealDeltaKind, type SealDelta } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, longText } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
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

/** Returns the table of changes since the seal, each with its sealed and its current row. */
export function deltaTable(visit: Visit, deltas: readonly SealDelta[]): Html {
  const t = messagesIn(visit.language);
  return table({
    caption: t("deltas"),
    columns: [
      { title: t("payment") },
      { title: t("kind") },
      { title: t("fields") },
      { title: `${t("sealed_row")} / ${t("current_row")}` },
    ],
    rows: deltas.map((delta) => [
      delta.kind === SealDeltaKind.GONE
        ? html`<span class="id">${delta.paymentId}</span>`
        : html`<a class="id" href="${visit.path(`/payments/${delta.paymentId}`)}">${delta.paymentId}</a>`,
      badge("warn", t(KINDS[delta.kind] ?? "kind_changed")),
      html`<ul class="plain">
        ${changedFields(visit, delta).map(
          ([name, then, now]) => html`<li><code>${name}</code>: <bdi>${then}</bdi> → <bdi>${now}</bdi></li>`,
        )}
      </ul>`,
      html`${row(visit, t("sealed_row"), delta.sealedRow)} ${row(visit, t("current_row"), delta.currentRow)}`,
    ]),
    empty: html`<p>${t("deltas_none")}</p>`,
  });
}

function row(visit: Visit, title: string, text: string | undefined): Html | "" {
  if (text === undefined) return "";
  return html`<details>
    <summary>${title}</summary>
    ${longText(visit, text)}
  </details>`;
}

/** Returns the fields that differ, with their sealed and their current values. */
function changedFields(
  visit: Visit,
  { sealedRow, currentRow }: SealDelta,
): [name: string, then: string, now: string][] {
  if (sealedRow === undefined || currentRow === undefined) return [];
  const [then, now] = [sealedRow, currentRow].map((text) => JSON.parse(text) as Record<string, unknown>);
  const names = new Set([...Object.keys(then ?? {}), ...Object.keys(now ?? {})]);
  return [...names]
    .map((name): [string, string, string] => [
      name,
      shown(visit, name, then?.[name]),
      shown(visit, name, now?.[name]),
    ])
    .filter(([, before, after]) => before !== after);
}

function shown({ format }: Visit, name: string, value: unknown): string {
  if (value === undefined || value === null) return "—";
  if (typeof value === "number" && name.endsWith("_at")) return format.time(timestampFromMs(value * 1000));
  return typeof value === "string" ? value : JSON.stringify(value);
}
