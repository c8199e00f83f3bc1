import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const COUNT = 45;
const PAGE = "/console/test/links";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const by = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
const first = await merchant.newLink({ amount: 1000, description: "Sapato 0" });

/** Adds links like the first one, of R$ 10,01, R$ 10,02 and so on, a second apart. */
async function addLinks(from: number, to: number): Promise<void> {
  await rows.run(
    `INSERT INTO test.payment_link
     SELECT (jsonb_populate_record(l, jsonb_build_object('id', 'pl_0' || lpad(n::text, 25, '0'),
       'amount_minor', 1000 + n, 'description', 'Sapato ' || n, 'created_at', l.created_at + n * interval '1 s'))).*
     FROM test.payment_link l, generate_series($2::int, $3::int) n WHERE l.id = $1`,
    [first, from, to],
  );
}
await addLinks(1, COUNT - 1);

/** Returns the numbers of the links on a page, in their order. */
async function shown(path: string): Promise<{ numbers: number[]; body: string }> {
  const { body } = await by.get(path);
  return {
    body,
    numbers: [...body.matchAll(/<bdi>Sapato (\d+)<\/bdi>/g)].map(([, number]) => Number(number)),
  };
}

const link = (body: string, rel: "next" | "prev"): string =>
  (new RegExp(`rel="${rel}" href="([^"]+)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");

describe("the links", () => {
  test("are twenty a page, counted, with the page before and the one after", async () => {
    const one = await shown(PAGE);
    expect(one.numbers).toEqual(Array.from({ length: 20 }, (_, index) => COUNT - 1 - index));
    expect(one.body).toContain("Linhas 1 a 20 de 45");
    const two = await shown(link(one.body, "next"));
    expect(two.body).toContain("Linhas 21 a 40 de 45");
    const three = await shown(link(two.body, "next"));
    expect(three.numbers).toEqual([4, 3, 2, 1, 0]);
    expect(await shown(link(three.body, "prev"))).toMatchObject({ numbers: two.numbers });
  });

  test.each([
    ["created_asc", (index: number) => index],
    ["amount_asc", (index: number) => index],
    ["amount_desc", (index: number) => COUNT - 1 - index],
  ])("are sorted by %s over all pages", async (order, numberAt) => {
    const found: number[] = [];
    for (let path = `${PAGE}?order=${order}`; path !== "";) {
      const { numbers, body } = await shown(path);
      found.push(...numbers);
      path = link(body, "next");
    }
    expect(found).toEqual(Array.from({ length: COUNT }, (_, index) => numberAt(index)));
  });

  test("have titles that sort, chosen columns and saved views", async () => {
    const { body } = await shown(`${PAGE}?order=amount_desc&cols=amount&status=active`);
    expect(body).toMatch(/aria-sort="descending"[^>]*>\s*<a href="[^"]*order=amount_asc/);
    expect(body).toContain('data-label="Valor"');
    expect(body).not.toContain('data-label="Criado em"');
    const form = { name: "Caros", query: "order=amount_desc&status=active" };
    const saved = await by.post(PAGE, `${PAGE}/views`, form);
    expect(saved.headers.location).toBe(`${PAGE}?${form.query}`);
    expect((await by.get(`${PAGE}?${form.query}`)).body).toMatch(/aria-current="true"[^>]*>Caros</);
  });

  test("beyond a thousand are counted no further", async () => {
    await addLinks(COUNT, 1000);
    expect((await shown(PAGE)).body).toContain("Linhas 1 a 20 de 1.000+");
    expect((await shown(`${PAGE}?query=Sapato+100`)).body).toContain("Linhas 1 a 2 de 2");
  });
});

test("quotes have chosen columns and saved views too", async () => {
  const quotes = "/console/test/quotes";
  const asked = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  await merchant.api.post("/v1/quotes", asked);
  const { body } = await by.get(`${quotes}?cols=status`);
  expect(body).toContain('data-label="Situação"');
  expect(body).not.toContain('data-label="Criada em"');
  const form = { name: "Abertas", query: "status=open" };
  expect((await by.post(quotes, `${quotes}/views`, form)).headers.location).toBe(`${quotes}?${form.query}`);
});
