import type { Merchant } from "./merchant.ts";

/** The payments of a period as GET /v1/payments shows them, byte for byte, each with a line feed behind it. */
export async function listedLines({ api }: Pick<Merchant, "api">, from: string, to: string): Promise<string> {
  let lines = "";
  for (let after = ""; ;) {
    const { body, text } = await api.get(`/v1/payments?from=${from}&to=${to}&limit=100${after}`);
    // The rows as they are in the answer, not as they are read and written again.
    let rest = text.slice('{"data":['.length);
    for (let left = (body.data as unknown[]).length; left > 0; left--) {
      const length = objectLength(rest);
      lines += `${rest.slice(0, length)}\n`;
      rest = rest.slice(length + 1);
    }
    if (!body.has_more) return lines;
    after = `&starting_after=${body.next_cursor}`;
  }
}

/** How many characters the JSON object has that a text begins with. */
function objectLength(text: string): number {
  let [depth, isQuoted] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isQuoted && character === "\\") index++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === "{") depth++;
    else if (!isQuoted && character === "}" && --depth === 0) return index + 1;
  }
  return text.length;
}
