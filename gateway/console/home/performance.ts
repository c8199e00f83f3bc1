import { PaymentStatus, type PaymentSum } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { SummarizeVisitsResponse } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { currencySymbol } from "../../../contract/money-text.ts";
import { html, type Html } from "../../pages/html.ts";
import { daysBefore } from "../day.ts";
import { barChart, shareBar } from "../parts/chart.ts";
import { foldedCard, methodText } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { AttemptSum, WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { shortUrl } from "../webhooks/delivery-list.ts";
import { attemptsByEndpoint, healthBadge } from "../webhooks/endpoint-health.ts";
import { listEndpoints } from "../webhooks/endpoint-lookup.ts";
import type { Visit } from "../visit.ts";
import { countOf, paid, type Overview } from "./overview.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** The periods of the charts, in days; the first is shown unless another is asked for. */
export const PERIODS = [7, 30, 90] as const;

const PPM = 1_000_000n;
const ENDED = [PaymentStatus.SUCCEEDED, PaymentStatus.FAILED, PaymentStatus.EXPIRED] as const;

/** What the charts need besides the overview. */
interface Performance {
  /** The sums of as many days before. */
  readonly before: readonly PaymentSum[];
  readonly visits: SummarizeVisitsResponse;
  /** The endpoints, and what became of their attempts. Empty if the user may not see them. */
  readonly endpoints: readonly WebhookEndpoint[];
  readonly attempts: ReadonlyMap<string, AttemptSum>;
}

export async function performanceOf(visit: Visit, { days, today }: Overview): Promise<Performance> {
  const { core, as } = visit;
  const from = days.at(-1) ?? today;
  const maySee = visit.can("webhooks.read");
  const [before, visits, endpoints, attempts] = await Promise.all([
    core.ledger.summarizePayments(
      { filter: { from: daysBefore(from, days.length), to: daysBefore(from, 1) } },
      as,
    ),
    core.checkout.summarizeVisits({ from, to: today }, as),
    maySee ? listEndpoints(visit) : [],
    maySee ? attemptsByEndpoint(visit, days.length) : new Map<string, AttemptSum>(),
  ]);
  return { before: before.totals, visits, endpoints, attempts };
}

/** Returns the period's bars by day against the period before, the way of the payers, and success by method. */
export function performance(visit: Visit, overview: Overview, found: Performance): Html {
  const { before, visits } = found;
  const t = messagesIn(visit.language);
  const { days, sums } = overview;
  const all = days.flatMap((day) => sums.get(day) ?? []);
  return html`<nav class="quick" aria-label="${t("period")}">
      ${PERIODS.map(
        (count) =>
          html`<a href="?days=${count}" ${count === days.length ? html` aria-current="true"` : ""}
            >${t("period_days", { count })}</a
          >`,
      )}
    </nav>
    ${charts(visit, t, overview, before)}
    <div class="cards">
      ${foldedCard(t("funnel"), funnel(visit, all, visits))}
      ${foldedCard(t("by_method"), methodTable(visit, t, all))}
    </div>`;
}

/** Returns a chart for each currency: what payers paid in it, and what of it is the merchant's. */
function charts(visit: Visit, t: Translate, { days, sums }: Overview, before: readonly PaymentSum[]): Html {
  const oldestFirst = days.toReversed();
  const all = days.flatMap((day) => sums.get(day) ?? []);
  const lines = (["grossAmount", "netAmount"] as const).flatMap((amount) =>
    paid(all, amount).map(({ currency, amount: sum }) => ({ amount, currency, sum })),
  );
  const byCurrency = [...Map.groupBy(lines, ({ currency }) => currency)];
  return html`${byCurrency.map(
    ([currency, same]) =>
      html`<section class="card">
        ${barChart(visit, {
          name: t("chart", { currency: currencySymbol(currency), count: days.length }),
          days: oldestFirst,
          series: same.map(({ amount, sum }) => {
            const name = t(amount === "grossAmount" ? "gross" : "net");
            const change = changeText(visit, t, sum, amountOf(before, amount, currency));
            return {
              name,
              summary: `${name}: ${visit.format.money(sum, currency)} ${change}`,
              values: oldestFirst.map((day) => amountOf(sums.get(day) ?? [], amount, currency)),
              text: (value) => visit.format.money(value, currency),
            };
          }),
        })}
      </section>`,
  )}`;
}

function amountOf(
  sums: readonly PaymentSum[],
  amount: "grossAmount" | "netAmount",
  currency: string,
): bigint {
  return paid(sums, amount).find((money) => money.currency === currency)?.amount ?? 0n;
}

function changeText({ format }: Visit, t: Translate, now: bigint, before: bigint): string {
  if (before <= 0n) return t("no_before");
  return t("against_before", { change: format.change(((now - before) * PPM) / before) });
}

/**
 * Returns how many payers went on from each step to the next. A step that was not counted, though a later one was, is no
 * row: payments of the API open no page, and not every link locks a price.
 */
export function funnel(visit: Visit, sums: readonly PaymentSum[], visits: SummarizeVisitsResponse): Html {
  const t = messagesIn(visit.language);
  const started = sums.reduce((total, { paymentCount }) => total + paymentCount, 0n);
  const counted = [
    { step: t("funnel_opened"), count: visits.pageCount },
    { step: t("funnel_session"), count: visits.sessionCount },
    { step: t("funnel_started"), count: started },
    { step: t("funnel_paid"), count: countOf(sums, PaymentStatus.SUCCEEDED) },
  ];
  const last = counted.findLastIndex(({ count }) => count > 0n);
  const steps = last < 0 ? [] : counted.filter(({ count }, index) => count > 0n || index > last);
  const most = steps.map(({ count }) => count).reduce((a, b) => (a > b ? a : b), 0n);
  return rowTable(t, {
    caption: t("funnel"),
    rows: steps,
    columns: {
      step: ({ step }) => step,
      count: ({ count }) => count.toLocaleString(visit.language),
      share: ({ count }) => shareBar(count, most),
    },
    numbers: ["count"],
    pocket: ["share"],
    empty: html`<p>${t("funnel_none")}</p>`,
  });
}

/**
 * Returns what share of each endpoint's attempts succeeded in the period. One whose newest attempt failed is red.
 */
export function endpointCard(visit: Visit, { endpoints, attempts }: Performance): Html | "" {
  if (endpoints.length === 0) return "";
  const t = messagesIn(visit.language);
  const table = endpointTable(visit, t, { endpoints, attempts });
  return foldedCard(t("by_endpoint"), table);
}

function endpointTable(
  visit: Visit,
  t: Translate,
  { endpoints, attempts }: Pick<Performance, "endpoints" | "attempts">,
): Html {
  return rowTable(t, {
    caption: t("by_endpoint"),
    rows: endpoints,
    columns: {
      endpoint: ({ id, url }) =>
        html`<a class="id address" dir="ltr" href="${visit.path(`/webhooks/endpoints/${id}`)}"
          >${shortUrl(url)}</a
        >`,
      health: ({ id }) => healthBadge(visit, attempts.get(id)),
      share: ({ id }) => {
        const { attemptCount = 0n, failedCount = 0n } = attempts.get(id) ?? {};
        return shareBar(attemptCount - failedCount, attemptCount);
      },
    },
    pocket: ["health", "share"],
    empty: html``,
  });
}

function methodTable(visit: Visit, t: Translate, sums: readonly PaymentSum[]): Html {
  const byMethod = [...Map.groupBy(sums, ({ paymentMethod }) => paymentMethod)].toSorted(([a], [b]) => a - b);
  return rowTable(t, {
    caption: t("by_method"),
    rows: byMethod.map(([method, same]) => ({
      method,
      succeeded: countOf(same, PaymentStatus.SUCCEEDED),
      ended: countOf(same, ...ENDED),
    })),
    columns: {
      method: ({ method }) => methodText(visit, method),
      success: ({ succeeded, ended }) =>
        ended === 0n ? "—" : t("success_of", { succeeded: String(succeeded), ended: String(ended) }),
      share: ({ succeeded, ended }) => shareBar(succeeded, ended),
    },
    pocket: ["success", "share"],
    empty: html`<p>${t("nothing_ended")}</p>`,
  });
}
