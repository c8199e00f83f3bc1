import truncatedWidth from "fast-string-truncated-width";

/** A cell as text, and whether it may be shortened: an id, a number or a time is only of use as a whole. */
export interface TableCell {
  readonly text: string;
  readonly isWhole: boolean;
}

/** How a heading and a cell look. */
export interface Look {
  readonly heading: (text: string) => string;
  readonly cell: (text: string, column: string, value: string) => string;
}

const GAP = "  ";
const ELLIPSIS = "…";
// A shortened text has at least so many columns.
const LEAST_WIDTH = 12;

/**
 * Returns rows as a table that fits into so many columns of a terminal. The widest texts are shortened, and never ids,
 * numbers or times. A table that cannot fit is a block of lines for each row, with nothing shortened.
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly TableCell[])[],
  columns: number,
  look: Look,
): string {
  const widths = fitting(headings, rows, columns);
  if (!widths) return rows.map((row) => blockText(headings, row, look)).join("\n");
  const line = (cells: readonly string[], paint: (text: string, column: number) => string): string => {
    const last = cells.length - 1;
    const padded = cells.map((text, column) => {
      const shown = shortened(text, widths[column] ?? 0);
      return `${paint(shown, column)}${column === last ? "" : padding(shown, widths[column] ?? 0)}`;
    });
    return `${padded.join(GAP)}\n`;
  };
  const head = line(headings, look.heading);
  const body = rows.map((row) =>
    line(
      row.map(({ text }) => text),
      (shown, column) => look.cell(shown, headings[column] ?? "", row[column]?.text ?? ""),
    ),
  );
  return head + body.join("");
}

/** Returns a line for each heading and its cell. */
export function blockText(headings: readonly string[], row: readonly TableCell[], look: Look): string {
  const width = Math.max(...headings.map(widthOf));
  const lines = headings.map((heading, column) => {
    const { text = "" } = row[column] ?? {};
    return `${look.heading(heading)}${padding(heading, width)}${GAP}${look.cell(text, heading, text)}\n`;
  });
  return lines.join("");
}

/** Returns the width of each column, or undefined if they do not fit. */
function fitting(
  headings: readonly string[],
  rows: readonly (readonly TableCell[])[],
  columns: number,
): readonly number[] | undefined {
  const sizes = headings.map((heading, column) => {
    const cells = rows.flatMap((row) => row[column] ?? []);
    const width = Math.max(widthOf(heading), ...cells.map(({ text }) => widthOf(text)));
    const whole = cells.filter(({ isWhole }) => isWhole).map(({ text }) => widthOf(text));
    return { width, least: Math.max(widthOf(heading), Math.min(width, LEAST_WIDTH), ...whole) };
  });
  const room = columns - GAP.length * (headings.length - 1);
  const totalAt = (level: number): number => sum(sizes.map((size) => widthAt(size, level)));
  let level = Math.max(...sizes.map(({ width }) => width));
  while (level > 0 && totalAt(level) > room) level -= 1;
  return totalAt(level) > room ? undefined : sizes.map((size) => widthAt(size, level));
}

/** Returns a column's width when none is wider than the level for the sake of text alone. */
function widthAt({ width, least }: { width: number; least: number }, level: number): number {
  return Math.max(least, Math.min(width, level));
}

function shortened(text: string, width: number): string {
  const { index, ellipsed } = truncatedWidth(text, { limit: width, ellipsis: ELLIPSIS });
  return ellipsed ? `${text.slice(0, index)}${ELLIPSIS}` : text;
}

function padding(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text)));
}

function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
