import { describe, expect, test } from "vitest";
import { CONSOLE_ROUTES } from "../../gateway/console/app.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { COUNT, listsOf, NUMBERS } from "./many-rows.ts";
import { allPages, inRows, listedPage, pageLink } from "./list-pages.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const owner = await createUser(service, merchant.tenant.id, "owner", undefined, `Pessoa ${COUNT}`);
const by = new ConsoleClient(service, owner);
const LISTS = listsOf(rows, merchant);

// The rows refer to some that are not there.
await rows.run("SET session_replication_role = replica");
for (const { fill } of LISTS) await fill();
await rows.run("SET session_replication_role = DEFAULT");

describe.each(LISTS)("the list at $path", ({ path, row, orders, columns, isOldestFirst = false }) => {
  const [address, query = ""] = path.split("?");
  const at = (more: string): string => `${address}?${query === "" ? more : `${query}&${more}`}`;
  const numbersOf = (pages: Parameters<typeof inRows>[0]): number[] => inRows(pages, row).map(Number);

  test("has twenty rows a page, counts them, and leads back as it leads on", async () => {
    const pages = await allPages(by, path);
    expect(pages.map(({ numbers }) => numbers)).toEqual([
      `Linhas 1 a 20 de ${COUNT}`,
      `Linhas 21 a 40 de ${COUNT}`,
      `Linhas 41 a ${COUNT} de ${COUNT}`,
    ]);
    const usual = isOldestFirst ? NUMBERS : NUMBERS.toReversed();
    expect(numbersOf(pages)).toEqual(usual);
    const [first, second, third] = pages;
    if (!first || !second || !third) throw new Error("there are fewer pages");
    const back = await listedPage(by, pageLink(third, "prev"));
    expect([back.numbers, inRows([back], row)]).toEqual([second.numbers, inRows([second], row)]);
    expect(inRows([await listedPage(by, pageLink(back, "prev"))], row)).toEqual(inRows([first], row));
    expect(pageLink(first, "prev")).toBe("");
  });

  test("is sorted both ways over all pages, by the titles of its columns", async () => {
    for (const [word, keyOf] of Object.entries(orders)) {
      const ascending = NUMBERS.toSorted((one, other) => keyOf(one) - keyOf(other));
      expect([word, numbersOf(await allPages(by, at(`order=${word}_asc`)))]).toEqual([word, ascending]);
      const pages = await allPages(by, at(`order=${word}_desc`));
      expect([word, numbersOf(pages)]).toEqual([word, ascending.toReversed()]);
      const [page] = pages;
      expect(page?.body).toMatch(
        new RegExp(`aria-sort="descending"[^>]*>\\s*<a href="[^"]*order=${word}_asc`),
      );
    }
  });

  test("shows the chosen columns, and saves them with its order as a view", async () => {
    const [key, title, other] = columns;
    const word = `${Object.keys(orders)[0] ?? ""}_asc`;
    const view = at(`order=${word}&cols=${key}`);
    const { body } = await listedPage(by, view);
    expect(body).toContain(`data-label="${title}"`);
    expect(body).not.toContain(`data-label="${other}"`);
    const form = { name: "Minha visão", query: view.slice(view.indexOf("?") + 1) };
    expect((await by.post(view, `${String(address)}/views`, form)).headers.location).toBe(view);
    expect((await listedPage(by, `${view}&done=settled`)).body).toMatch(
      /aria-current="true"[^>]*>Minha visão</,
    );
    expect(await by.post(view, `${String(address)}/views/remove`, form)).toMatchObject({ statusCode: 303 });
    expect((await listedPage(by, path)).body).not.toContain("Minha visão");
  });

  test("of an order, a place or columns that it does not have is shown as usual", async () => {
    const { rows: usual } = await listedPage(by, path);
    for (const odd of ["order=amount;drop", "order=toString", "row=-1&back=~~x"]) {
      const { statusCode } = await by.get(at(odd));
      expect([odd, statusCode, (await listedPage(by, at(odd))).rows.length]).toEqual([
        odd,
        200,
        usual.length,
      ]);
    }
  });
});

test.each([
  ["/console/test/quotes?query=qt_00000000000000000000000007", 1],
  ["/console/test/webhooks/deliveries?since=2026-03-03", 0],
  ["/console/test/webhooks/deliveries?since=2026-03-02&status=succeeded", COUNT],
  ["/console/test/audit?action=UpdateTenant&actor=user", 0],
])("%s counts what its filters leave: %i", async (path, count) => {
  const { numbers, rows: found } = await listedPage(by, path);
  const shown = Math.min(count, 20);
  expect(found).toHaveLength(shown);
  expect(numbers).toBe(count === 0 ? "" : `Linhas 1 a ${shown} de ${count}`);
});

/** Tables that are no lists: of a month's days, of the days of a balance, and of a company's or a user's few. */
const NO_LISTS = new Set(["", "/close", "/payments/balance", "/settings", "/account"]);

test("every page with a table of many rows has its number of rows, columns to choose and saved views", async () => {
  const paths = new Set(CONSOLE_ROUTES.filter(({ kind }) => kind === "page").map((route) => route.path));
  const changes = new Set(CONSOLE_ROUTES.filter(({ kind }) => kind === "change").map((route) => route.path));
  const withTable: string[] = [];
  for (const path of paths) {
    if (/[:.]/.test(path)) continue;
    for (const mode of ["test", "live"]) {
      const { body } = await by.get(`/console/${mode}${path}`);
      if (!body.includes("<table") || NO_LISTS.has(path)) continue;
      withTable.push(path);
      expect([path, /Linhas 1 a \d+/.test(body), changes.has(`${path}/views`)]).toEqual([path, true, true]);
      for (const part of ["Colunas", "Salvar esta visão"])
        expect([path, body.includes(part)]).toEqual([path, true]);
    }
  }
  expect(withTable).toEqual(
    expect.arrayContaining(["/quotes", "/audit", "/keys", "/people", "/webhooks/deliveries"]),
  );
});
