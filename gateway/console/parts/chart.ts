import { html, type Html } from "../../pages/html.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./chart-messages.ts";
import { table } from "./table.ts";

const WIDTH = 640;
const HEIGHT = 160;
const GAP = 0.25;
/** More dates have no room under the bars on a phone: the first, one in the middle and the last are enough. */
const DATES_MAX = 7;

/** An amount on each day, as a row of bars of one kind. */
interface Series {
  /** Its name, as the title of a column. */
  readonly name: string;
  /** What the key under the chart says of it; absent: its name. */
  readonly summary?: string;
  readonly values: readonly bigint[];
  /** Returns a value as a person reads it. */
  readonly text: (value: bigint) => string;
}

/** The parts of a chart. */
interface Chart {
  readonly name: string;
  /** The days, oldest first, YYYY-MM-DD. Each series has as many values. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
}

/**
 * Returns bars side by side with dates under them, and a table of their values. A script shows a day's values beside its
 * bars, on hover, by touch and with the arrow keys: it reads them from the table.
 */
export function barChart(guest: Guest, { name, days, series }: Chart): Html {
  const t = messagesIn(guest.language);
  const most = series.flatMap(({ values }) => values).reduce((a, b) => (a > b ? a : b), 1n);
  return html`<figure class="chart" data-chart>
    <p class="scale quiet" aria-hidden="true">${series[0]?.text(most) ?? ""}</p>
    <div class="plot" data-plot data-name="${name}">
      ${bars(name, series, most)}
      <div class="tip" data-tip aria-hidden="true" hidden></div>
    </div>
    ${dates(guest, days)}
    <figcaption>
      ${series.map(
        ({ name: title, summary = title }, number) =>
          html`<span class="key series-${number}">${summary}</span> `,
      )}
    </figcaption>
    <details>
      <summary>${t("values")}</summary>
      ${table({
        caption: name,
        columns: [{ title: t("day") }, ...series.map(({ name: title }) => ({ title, isNumber: true }))],
        rows: days.map((day, index) => [
          guest.format.day(day),
          ...series.map(({ values, text }) => text(values[index] ?? 0n)),
        ]),
        empty: html``,
      })}
    </details>
  </figure>`;
}

function bars(name: string, series: readonly Series[], most: bigint): Html {
  const count = series[0]?.values.length ?? 0;
  const step = WIDTH / Math.max(1, count);
  const width = (step * (1 - GAP)) / Math.max(1, series.length);
  return html`<svg
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="${name}"
    preserveAspectRatio="none"
  >
    ${series.map(({ values }, number) =>
      values.map((value, index) => {
        const height = heightOf(value, most);
        const x = (index * step + number * width + (step * GAP) / 2).toFixed(2);
        return html`<rect
          class="series-${number}"
          x="${x}"
          y="${(HEIGHT - height).toFixed(2)}"
          width="${width.toFixed(2)}"
          height="${height.toFixed(2)}"
        />`;
      }),
    )}
  </svg>`;
}

/** Returns the dates under the bars, which the table has as well. */
function dates({ format }: Guest, days: readonly string[]): Html {
  const isEach = days.length <= DATES_MAX;
  const shown = isEach ? days : [days.at(0), days.at(days.length >> 1), days.at(-1)];
  return html`<p class="dates quiet ${isEach ? "each" : ""}" aria-hidden="true">
    ${shown.map((day) => html`<span>${format.day(day ?? "")}</span>`)}
  </p>`;
}

/** Returns a bar that is as wide as its share of the whole. Its text says the same. */
export function shareBar(part: bigint, whole: bigint): Html {
  const width = whole === 0n ? 0 : Number((part * 1000n) / whole) / 10;
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="100" height="8" />
    <rect class="series-0" width="${width}" height="8" />
  </svg>`;
}

/** Every value that is not 0 is seen. */
function heightOf(value: bigint, most: bigint): number {
  if (value <= 0n) return 0;
  return Math.max(2, Number((value * 10_000n) / most) * (HEIGHT / 10_000));
}
