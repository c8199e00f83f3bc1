import type { ListSealDeltasResponse, VerifySealResponse } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card, notice } from "../parts/show.ts";
import { pageTurns } from "../list/place.ts";
import { pager } from "../parts/table.ts";
import type { Visit } from "../visit.ts";
import { deltaTable } from "./deltas.ts";
import { messagesIn } from "./messages.ts";

/** The result of a verification of a sealed day, and a page of changes since the seal. */
export interface Verification {
  readonly verified: VerifySealResponse;
  readonly deltas: Pick<ListSealDeltasResponse, "deltas" | "hasMore">;
}

/** Returns the part of a day's page with the result of the verification and the changes since the seal. */
export function verificationPart(visit: Visit, day: string, { verified, deltas }: Verification): Html {
  const t = messagesIn(visit.language);
  const result = verified.isIntact
    ? notice(t("intact"))
    : html`<p class="problem" role="alert">${t("broken")}</p>
        <details>
          <summary>${t("technical")}</summary>
          <p>${t("hash_now")}: <code class="id">${verified.rowsSha256}</code></p>
        </details>`;
  return html`<div id="verification">
    ${card(
      t("verify"),
      html`${result}
        <p class="quiet">${t("verify_help")}</p>
        <p><a class="button" href="${addressOf(visit, day)}">${t("verify_again")}</a></p>`,
    )}
    ${deltasCard(visit, day, deltas)}
  </div>`;
}

/** Returns the placeholder for the verification, which takes time. A script loads it, or the user clicks. */
export function verificationToCome(visit: Visit, day: string): Html {
  const t = messagesIn(visit.language);
  const address = addressOf(visit, day);
  return html`<div
    id="verification"
    data-hx-get="${address}"
    data-hx-trigger="load"
    data-hx-swap="outerHTML"
    data-hx-status:4xx="swap:none"
    data-hx-status:5xx="swap:none"
  >
    ${card(
      t("verify"),
      html`<div class="while-working" role="status">
          <p>${t("verifying")}</p>
          <progress aria-label="${t("verifying")}"></progress>
        </div>
        <div class="while-idle">
          <p>${t("verify_text")}</p>
          <p><a class="button" href="${address}">${t("verify_now")}</a></p>
        </div>`,
    )}
  </div>`;
}

function deltasCard(visit: Visit, day: string, { deltas, hasMore }: Verification["deltas"]): Html {
  const t = messagesIn(visit.language);
  const address = addressOf(visit, day);
  const next = hasMore ? deltas.at(-1)?.paymentId : undefined;
  const file = visit.path(`/close/${day}/changes.jsonl`);
  const hasFile = deltas.length > 0 && visit.can("payments.export");
  return card(
    t("deltas"),
    html`<p class="quiet">${t("deltas_help")}</p>
      ${deltaTable(visit, deltas)} ${pager(visit, pageTurns(visit, address, next, deltas.length))}
      ${hasFile ? html`<p><a href="${file}" download>${t("deltas_file")}</a></p>` : ""}`,
  );
}

function addressOf(visit: Visit, day: string): string {
  return visit.path(`/close/${day}/verification`);
}
