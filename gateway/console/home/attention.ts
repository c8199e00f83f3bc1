import { needMessagesIn } from "../../../contract/need-messages.ts";
import { needsOf as needsOfAll, type Need } from "../../../contract/needs.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, card } from "../parts/show.ts";
import { accountNotice } from "../providers/views.ts";
import type { Visit } from "../visit.ts";
import { shortUrl } from "../webhooks/delivery-list.ts";
import type { Overview } from "./overview.ts";
import { messagesIn } from "./messages.ts";

/** Returns everything that needs a person of this environment, what is urgent first. */
export async function needsOf(visit: Visit, { seals }: Overview): Promise<Need[]> {
  const { core, as, mode, accounts } = visit;
  const can = visit.can.bind(visit);
  return await needsOfAll({ core, as, mode, accounts, can, seals: seals.values(), nowMs: Date.now() });
}

/** Returns the list of what needs a person. Each line links to the page for it. */
export function attention(visit: Visit, needs: readonly Need[]): Html {
  const t = messagesIn(visit.language);
  const lines = needs.map(
    (need) =>
      html`<li>
        ${need.isUrgent ? badge("bad", t("urgent")) : ""}
        <a href="${visit.path(need.path)}">${textOf(visit, need)}</a>
      </li>`,
  );
  return card(
    t("attention"),
    lines.length === 0
      ? html`<p>${t("all_well")}</p>`
      : html`<ul class="bare needs">
          ${lines}
        </ul>`,
  );
}

function textOf(visit: Visit, need: Need): string {
  const { key, account, endpoint, count = 0, day = "" } = need;
  if (account) return accountNotice(visit, account, need);
  const t = needMessagesIn(visit.language);
  if (!endpoint) return t(key, { count, day: visit.format.day(day) });
  const number = (value: bigint): string => value.toLocaleString(visit.language);
  const values = { failed: number(endpoint.failed), count: number(endpoint.attempts) };
  return t(key, { url: shortUrl(endpoint.url), ...values });
}
