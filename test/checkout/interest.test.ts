import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { PageCaller } from "./page-caller.ts";

const { get, opened } = await forFile(PageCaller.start());

/** Returns the text about interest of each number of installments, with its total. */
async function offered(
  link: object,
  language: string,
): Promise<{ n: number; total: string; text: string }[]> {
  const { body } = await get(await opened(link), { "accept-language": language });
  const rows = body.matchAll(/<input[^>]*value="card-(\d+)"(.*?)<\/label/gs);
  return [...rows].map(([, n, label = ""]) => ({
    n: Number(n),
    total: /data-total="(\d+)"/.exec(label)?.[1] ?? "",
    text: /(sem juros|com juros|interest-free|with interest)/.exec(label)?.[0] ?? "",
  }));
}

test("installments that cost what one payment costs are sem juros, and one payment says nothing of it", async () => {
  const [atOnce, ...others] = await offered({ fee_handling: "absorb", max_installments: 6 }, "pt-BR");
  expect(atOnce).toMatchObject({ n: 1, text: "" });
  expect(others.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => "sem juros"));
  expect(others.every(({ total }) => total === atOnce?.total)).toBe(true);
});

test("installments that cost more are com juros, in English with interest", async () => {
  const link = { fee_handling: "pass_through", max_installments: 12 };
  const [atOnce, ...others] = await offered(link, "pt-BR");
  const dearer = others.filter(({ total }) => Number(total) > Number(atOnce?.total));
  expect(dearer.length).toBeGreaterThan(0);
  for (const each of others) expect(each.text).toBe(dearer.includes(each) ? "com juros" : "sem juros");
  const [, ...english] = await offered(link, "en");
  expect(english.at(-1)?.text).toBe("with interest");
});
