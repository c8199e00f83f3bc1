import { html, type Html } from "../../pages/html.ts";

const WIDTH = 640;
const HEIGHT = 160;
const GAP = 0.25;

/** A value at each step, as a row of bars of one kind. */
interface Series {
  readonly name: string;
  readonly values: readonly bigint[];
}

/**
 * Returns bars side by side, as a picture with its name. All it says is in a table of the page too, which a screen reader
 * reads instead.
 */
export function barChart(name: string, series: readonly Series[]): Html {
  const most = series.flatMap(({ values }) => values).reduce((a, b) => (a > b ? a : b), 1n);
  const count = series[0]?.values.length ?? 0;
  const step = WIDTH / Math.max(1, count);
  const width = (step * (1 - GAP)) / Math.max(1, series.length);
  return html`<figure class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}" preserveAspectRatio="none">
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
    </svg>
    <figcaption>
      ${series.map(({ name: title }, number) => html`<span class="key series-${number}">${title}</span> `)}
    </figcaption>
  </figure>`;
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
