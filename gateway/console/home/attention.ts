import { timestampMs } from "@bufbuild/protobuf/wkt";
import { html, type Html } from "../../pages/html.ts";
import { daysBefore } from "../day.ts";
import { badge, card } from "../parts/show.ts";
import { noticesOf } from "../providers/views.ts";
import type { Visit } from "../visit.ts";
import { failingEndpoints } from "../webhooks/endpoint-health.ts";
import type { Overview } from "./overview.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const COUNTED_MAX = 100;
const DAY_MS = 86_400_000;
/** For so many days money can be given back by a request. */
const REFUND_DAYS = 90;
/** A dispute whose last day is within so many days is urgent. */
const DEADLINE_DAYS = 3;

/** What needs a person, and the page for it. */
interface Need {
  readonly path: string;
  readonly text: string;
  /** True: money or news is being lost until a person acts. */
  readonly isUrgent?: boolean;
}

/** Returns everything that needs a person of this environment, what is urgent first. */
export async function needsOf(visit: Visit, { today, seals }: Overview): Promise<Need[]> {
  const needs = await Promise.all([
    endpointNeeds(visit),
    providerNeeds(visit),
    rateNeeds(visit),
    cardNeeds(visit, today),
    exceptionNeeds(visit),
    dayNeeds(visit),
  ]);
  const t = messagesIn(visit.language);
  const changed = [...seals.values()].filter(({ changedCount }) => changedCount > 0n);
  const altered: Need[] = changed.map(({ seal, changedCount }) => ({
    path: `/close/${seal?.day ?? ""}`,
    text: `${visit.format.day(seal?.day ?? "")}: ${t("changed", { count: String(changedCount) })}`,
  }));
  return [...needs.flat(), ...altered].toSorted(
    (a, b) => Number(b.isUrgent ?? false) - Number(a.isUrgent ?? false),
  );
}

/** Returns the list of what needs a person. Each line links to the page for it. */
export function attention(visit: Visit, needs: readonly Need[]): Html {
  const t = messagesIn(visit.language);
  const lines = needs.map(
    ({ path, text, isUrgent = false }) =>
      html`<li>${isUrgent ? badge("bad", t("urgent")) : ""} <a href="${visit.path(path)}">${text}</a></li>`,
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

/** Returns a need if there is a number of it. */
function counted(visit: Visit, count: number, key: MessageKey, path: string): Need[] {
  return count === 0 ? [] : [{ path, text: messagesIn(visit.language)(key, { count }) }];
}

async function endpointNeeds(visit: Visit): Promise<Need[]> {
  if (!visit.can("webhooks.read")) return [];
  const { core, as } = visit;
  const [failing, { endpoints }] = await Promise.all([
    failingEndpoints(visit),
    core.webhooks.listWebhookEndpoints({}, as),
  ]);
  const gone = endpoints.filter(({ disabledReason }) => disabledReason === "gone");
  return [
    ...failing.map(({ id, text }) => ({ path: `/webhooks/endpoints/${id}`, text, isUrgent: true })),
    ...counted(visit, gone.length, "disabled_endpoints", "/webhooks"),
  ];
}

async function providerNeeds(visit: Visit): Promise<Need[]> {
  const { core, as, accounts, mode, isConnected } = visit;
  const t = messagesIn(visit.language);
  const path = visit.can("providers.read") ? "/providers" : "/links";
  const unconnected =
    mode === "live" && !isConnected ? [{ path, text: visit.t("unconnected"), isUrgent: true }] : [];
  if (!visit.can("providers.read") || accounts.length === 0) return unconnected;
  const { money } = await core.providers.listUnknownMoney({}, as);
  const ofAccounts = accounts.flatMap((account) =>
    noticesOf(visit, account).map((text) => ({ path: `/providers/${account.id}`, text, isUrgent: true })),
  );
  const unknown =
    money.length === 0
      ? []
      : [{ path: "/providers/unknown", text: t("unknown_money", { count: money.length }) }];
  return [...unconnected, ...ofAccounts, ...unknown];
}

/** A rate that was never published is missed by nobody: nothing is converted then. */
async function rateNeeds(visit: Visit): Promise<Need[]> {
  const { source, isTooOld, held } = await visit.core.pricing.getRateStanding({}, visit.as);
  const t = messagesIn(visit.language);
  return [
    ...(source !== undefined && isTooOld
      ? [{ path: "/quotes/new", text: t("stale_rate"), isUrgent: true }]
      : []),
    ...(held.length > 0 ? [{ path: "/quotes/new", text: t("held_rate") }] : []),
  ];
}

async function cardNeeds(visit: Visit, today: string): Promise<Need[]> {
  const { core, as } = visit;
  const [{ disputes }, { overdue }] = await Promise.all([
    core.refunds.listDisputes({ needsResponse: true, limit: COUNTED_MAX }, as),
    core.ledger.listOverdueReceivables({ limit: COUNTED_MAX }, as),
  ]);
  const lastDay = daysBefore(today, -DEADLINE_DAYS);
  const urgent = disputes.filter(({ respondBy }) => respondBy !== undefined && respondBy <= lastDay);
  return [
    ...counted(visit, urgent.length, "dispute_deadlines", "/payments/disputes").map((need) => ({
      ...need,
      isUrgent: true,
    })),
    ...counted(visit, disputes.length, "disputes", "/payments/disputes"),
    ...counted(visit, overdue.length, "overdue", "/payments/overdue"),
  ];
}

async function exceptionNeeds(visit: Visit): Promise<Need[]> {
  const request = { limit: COUNTED_MAX, isOpen: true };
  const { exceptions } = await visit.core.checkout.listPaymentExceptions(request, visit.as);
  const since = Date.now() - REFUND_DAYS * DAY_MS;
  const refundable = exceptions.filter(({ receivedAt }) => receivedAt && timestampMs(receivedAt) >= since);
  return counted(visit, refundable.length, "exceptions", "/payments/exceptions");
}

async function dayNeeds(visit: Visit): Promise<Need[]> {
  if (!visit.can("close.seal")) return [];
  const { dayCount, days } = await visit.core.ledger.listOpenDays({ limit: 1 }, visit.as);
  return counted(visit, dayCount, "days_to_seal", `/close?month=${days[0]?.slice(0, 7) ?? ""}`);
}
