import { spawnSync } from "node:child_process";

/** The commands of a page's bash blocks, one by one, in their order. A command may have several lines. */
export function commandsOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  return blocks.flatMap((block) => {
    const commands: string[] = [];
    let open = "";
    for (const line of block.split("\n")) {
      if (open === "" && line.trim() === "") continue;
      open = open === "" ? line : `${open}\n${line}`;
      if (line.endsWith("\\") || !isWhole(open)) continue;
      commands.push(open);
      open = "";
    }
    if (open !== "") throw new Error(`a command that does not end: ${open}`);
    return commands;
  });
}

/** Whether bash would run it, rather than wait for more lines. */
function isWhole(command: string): boolean {
  return spawnSync("bash", ["-n", "-c", command]).status === 0;
}

/** The cells of the rows of the page's one table whose heading begins so. Throws Error when it has none or several. */
export function tableUnder(markdown: string, heading: string): string[][] {
  const [, body, ...more] = `\n${markdown}`.split(`\n${heading}`);
  if (body === undefined || more.length > 0) throw new Error(`not one table is headed ${heading}`);
  const [, , ...lines] = body.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map(cellsOf);
}

/** The cells of a table's row. */
export function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
