/** Lines of columns, each as wide as its widest cell. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join("  ");
  return [titles, ...rows].map(line).join("\n");
}
