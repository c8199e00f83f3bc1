import { html } from "hono/html";
import type { Comparison, Results } from "./results.ts";

const WIDTH = 760;
const LEFT = 330;
const BAR = 12;
const GAP = 14;
const TOP = 60;
const COLOURS: Readonly<Record<string, string>> = {
  ours: "#1d4ed8",
  plain: "#9ca3af",
  single: "#6b7280",
  floor: "#e5e7eb",
};

/** Draws requests a second of each service under each workload, at the most connections, as an SVG document. */
export async function chartOf({ comparisons, machine }: Results): Promise<string> {
  const connections = Math.max(...comparisons.map((each) => each.connections));
  const shown = comparisons.filter((each) => each.connections === connections);
  const most = Math.max(
    ...shown.flatMap(({ measured }) => measured.map(({ figures }) => figures.perSecond.high)),
  );
  let y = TOP;
  const groups = shown.map((comparison) => {
    const group = groupOf(comparison, y, most);
    y += comparison.measured.length * BAR + GAP;
    return group;
  });
  const names = [...new Set(shown.flatMap(({ measured }) => measured.map(({ server }) => server)))];
  const legend = names.map(
    (name, index) =>
      html`<rect x="${LEFT + index * 90}" y="34" width="10" height="10" fill="${COLOURS[name]}" />
        <text x="${LEFT + index * 90 + 14}" y="43">${name}</text>`,
  );
  const title = `Requests a second, ${connections} connections, ${machine.cores} cores`;
  const page = await html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${WIDTH} ${y}"
    font-family="sans-serif"
    font-size="11"
  >
    <title>${title}</title>
    <rect width="${WIDTH}" height="${y}" fill="#ffffff" />
    <text x="10" y="22" font-size="15">${title}</text>
    ${legend} ${groups}
  </svg>`;
  return `${String(page)}\n`;
}

function groupOf({ title, measured }: Comparison, top: number, most: number) {
  const middle = top + (measured.length * BAR) / 2 + 4;
  const bars = measured.map(({ server, figures: { perSecond } }, index) => {
    const y = top + index * BAR;
    const width = (perSecond.median / most) * (WIDTH - LEFT - 70);
    return html`<rect
        x="${LEFT}"
        y="${y}"
        width="${width.toFixed(1)}"
        height="${BAR - 2}"
        fill="${COLOURS[server]}"
      />
      <text x="${LEFT + width + 4}" y="${y + 9}" font-size="9">${perSecond.median.toFixed(0)}</text>`;
  });
  return html`<text x="10" y="${middle}">${title}</text>${bars}`;
}
