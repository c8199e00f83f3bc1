import type { Profile } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { today } from "../day.ts";
import { badge, card } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** Before every tenant. */
const BEGINNING = "2000-01-01";

interface Step {
  readonly word: MessageKey;
  readonly path: string;
  readonly isDone: boolean;
}

function isBranded({ displayName, color, logoUrl }: Profile): boolean {
  return [displayName, color, logoUrl].some((text) => text !== "");
}

/**
 * Returns the steps to the first live payment, or none once there is one. Of the other environment they say only
 * whether a step is done.
 */
export async function firstSteps(visit: Visit): Promise<readonly Step[]> {
  const [live, test] = [visit.in("live"), visit.in("test")];
  if (await hasPaid(visit, live)) return [];
  const { core, tenantId } = visit;
  const [{ tenant }, links, isPaid, { endpoints }, { accounts }] = await Promise.all([
    core.identity.getTenant({ tenantId }, visit.as),
    core.links.listPaymentLinks({ limit: 1 }, test),
    hasPaid(visit, test),
    core.webhooks.listWebhookEndpoints({}, test),
    core.providers.listProviderAccounts({}, live),
  ]);
  const steps: readonly (Step & { readonly isShown: boolean })[] = [
    {
      word: "step_link",
      path: "/console/test/links/new",
      isDone: links.data.length > 0,
      isShown: visit.can("links.write"),
    },
    { word: "step_payment", path: "/console/test/links", isDone: isPaid, isShown: visit.can("links.read") },
    {
      word: "step_brand",
      path: visit.path("/settings/profile"),
      isDone: tenant?.profile !== undefined && isBranded(tenant.profile),
      isShown: visit.can("settings.write"),
    },
    {
      word: "step_webhook",
      path: "/console/test/webhooks",
      isDone: endpoints.length > 0,
      isShown: visit.can("webhooks.write"),
    },
    {
      word: "step_account",
      path: "/console/live/providers",
      isDone: accounts.length > 0,
      isShown: visit.can("providers.write"),
    },
    { word: "step_live", path: "/console/live/links/new", isDone: false, isShown: visit.can("links.write") },
  ];
  return steps.filter(({ isShown }) => isShown);
}

async function hasPaid({ core }: Visit, as: Visit["as"]): Promise<boolean> {
  const filter = { from: BEGINNING, to: today(), status: PaymentStatus.SUCCEEDED };
  return (await core.ledger.searchPayments({ filter, limit: 1 }, as)).payments.length > 0;
}

/** Returns the list of steps, each with a link and whether it is done. */
export function stepsCard(visit: Visit, steps: readonly Step[]): Html | "" {
  if (steps.length === 0) return "";
  const t = messagesIn(visit.language);
  return card(
    t("steps"),
    html`<ol class="needs">
      ${steps.map(
        ({ word, path, isDone }) =>
          html`<li>${isDone ? badge("good", t("step_done")) : ""} <a href="${path}">${t(word)}</a></li>`,
      )}
    </ol>`,
  );
}
