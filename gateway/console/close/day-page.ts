import { html } from "hono/html";
import type {
  DaySeal,
  ListSealDeltasResponse,
  SummarizePaymentsResponse,
  VerifySealResponse,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm } from "../parts/form.ts";
import { badge, card, copyable, facts, notice, time } from "../parts/show.ts";
import { pager, withQuery } from "../parts/table.ts";
import { dayText } from "../payments/bridge.ts";
import { downloadLink } from "../payments/export-page.ts";
import { today } from "../payments/filter.ts";
import { sumsWithMethods } from "../payments/totals.ts";
import type { Visit } from "../visit.ts";
import { deltaTable } from "./deltas.ts";
import { sayIn } from "./words.ts";

/** What is known of a day that is sealed. */
export interface SealedDay {
  readonly seal: DaySeal;
  /** Who sealed it, for people. */
  readonly sealer: string;
  readonly deltas: Pick<ListSealDeltasResponse, "deltas" | "hasMore">;
  /** How the rows were found just now. */
  readonly verified: VerifySealResponse;
}

export function dayPage(
  visit: Visit,
  day: string,
  { sums, totals }: Pick<SummarizePaymentsResponse, "sums" | "totals">,
  sealed: SealedDay | undefined,
): Html {
  const say = sayIn(visit.language);
  return consolePage(visit, {
    title: dayText(visit, day),
    section: "/close",
    trail: { path: `/close?month=${day.slice(0, 7)}`, title: say("title") },
    actions: sealed ? badge("good", say("sealed")) : "",
    content: html`${sealed ? sealedContent(visit, sealed) : openContent(visit, day)}
    ${sealed ? deltasCard(visit, day, sealed) : ""}
    ${card(
      say(sealed ? "totals_sealed" : "totals"),
      html`${sumsWithMethods(visit, totals, sums, say(sealed ? "totals_sealed" : "totals"))}
        <p>
          <a href="${withQuery(visit.path("/payments"), { from: day, to: day })}">${say("see_payments")}</a>
        </p>`,
    )}`,
  });
}

function openContent(visit: Visit, day: string): Html {
  const say = sayIn(visit.language);
  if (day >= today().toString()) return html`<p>${say("not_ended")}</p>`;
  const button = buttonForm(visit, visit.path(`/close/${day}/seal`), say("seal"), {
    kind: "primary",
    question: say("seal_question", { day: dayText(visit, day) }),
  });
  return html`<section class="card">
    <p>${say("not_sealed")}</p>
    ${visit.can("close.seal") ? button : ""}
  </section>`;
}

function sealedContent(visit: Visit, { seal, sealer, verified }: SealedDay): Html {
  const say = sayIn(visit.language);
  const { day, rowsSha256, paymentCount, byteCount, formatVersion, sealedAt } = seal;
  const number = (value: bigint): string => value.toLocaleString(visit.language);
  const told = verified.isIntact
    ? notice(say("intact"))
    : html`<p class="problem" role="alert">${say("broken", { hash: verified.rowsSha256 })}</p>`;
  return html`${visit.query["done"] === "sealed" ? notice(say("sealed_notice")) : ""}
    <div class="cards">
      ${card(
        say("seal_facts"),
        html`${copyable(visit, "seal-hash", rowsSha256, say("hash"))}
        ${facts([
          [say("sealed_at"), time(visit, sealedAt)],
          [say("sealed_by"), html`<bdi>${sealer || say("unnamed")}</bdi>`],
          [say("rows"), number(paymentCount)],
          [say("bytes"), number(byteCount)],
          [say("format"), String(formatVersion)],
        ])}`,
      )}
      <div>
        ${card(
          say("verify"),
          html`${told}
            <p class="quiet">${say("verify_help")}</p>
            <p><a class="button" href="${visit.path(`/close/${day}`)}">${say("verify_again")}</a></p>`,
        )}
        ${visit.can("payments.export") ? filesCard(visit, seal) : ""}
      </div>
    </div>`;
}

function filesCard(visit: Visit, { day, paymentCount }: DaySeal): Html {
  const say = sayIn(visit.language);
  const file = (format: string): string => visit.path(`/close/${day}/sealed.${format}`);
  return card(
    say("export"),
    html`<p>${say("export_help", { count: paymentCount.toLocaleString(visit.language) })}</p>
      ${downloadLink(visit, file("csv"), paymentCount, { word: "export_csv", help: "export_csv_help", kind: "primary" })}
      ${downloadLink(visit, file("jsonl"), paymentCount, { word: "export_jsonl", help: "export_jsonl_help", kind: "plain" })}`,
  );
}

function deltasCard(visit: Visit, day: string, { deltas: { deltas, hasMore } }: SealedDay): Html {
  const say = sayIn(visit.language);
  const base = visit.path(`/close/${day}`);
  const after = visit.query["after"] ?? "";
  const next = hasMore ? withQuery(base, { after: deltas.at(-1)?.paymentId }) : undefined;
  const hasFile = deltas.length > 0 && visit.can("payments.export");
  return card(
    say("deltas"),
    html`<p class="quiet">${say("deltas_help")}</p>
      ${deltaTable(visit, deltas)} ${pager(visit, { next, first: after === "" ? undefined : base })}
      ${hasFile ? html`<p><a href="${base}/changes.jsonl" download>${say("deltas_file")}</a></p>` : ""}`,
  );
}
