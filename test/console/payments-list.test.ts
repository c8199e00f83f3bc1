import { describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const COUNT = 45;
const LIST = "/console/test/payments?from=2026-03-02&to=2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const payments = randomPayments(COUNT, START, END);
await insertPayments(rows, merchant.tenant.id, payments);
const newUser = async () =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
const viewer = await newUser();

const page = async (address: string) => (await viewer.get(address)).body;
const idsOf = (body: string) => [...body.matchAll(/title="(pay_[0-9a-z]{26})"/g)].map(([, id = ""]) => id);
const linkOf = (body: string, rel: string) =>
  (new RegExp(`rel="${rel}" href="([^"]+)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");

/** The ids of all pages, and the pages. */
async function walked(address: string) {
  const bodies: string[] = [];
  for (let next = address; next !== ""; next = linkOf(bodies.at(-1) ?? "", "next"))
    bodies.push(await page(next));
  return { bodies, ids: bodies.flatMap(idsOf) };
}

describe("pages", () => {
  test("say which rows they show, and lead back as they lead on", async () => {
    const { bodies } = await walked(LIST);
    expect(bodies.map((body) => /Linhas \d+ a \d+ de \d+/.exec(body)?.[0])).toEqual([
      "Linhas 1 a 20 de 45",
      "Linhas 21 a 40 de 45",
      "Linhas 41 a 45 de 45",
    ]);
    const second = await page(linkOf(bodies[2] ?? "", "prev"));
    expect(idsOf(second)).toEqual(idsOf(bodies[1] ?? ""));
    expect(second).toContain("Linhas 21 a 40 de 45");
    const first = await page(linkOf(second, "prev"));
    expect(idsOf(first)).toEqual(idsOf(bodies[0] ?? ""));
    expect(linkOf(first, "prev")).toBe("");
  });

  test("of a place that no page gave are answered without a fault", async () => {
    for (const place of ["row=-1&back=~~x", "row=9e99", "back=1.", "order=amount;drop", "cols=%00"]) {
      expect((await viewer.get(`${LIST}&${place}`)).statusCode).toBe(200);
    }
  });
});

describe("the order", () => {
  const keys = {
    created: ({ createdAt }: (typeof payments)[number]) => BigInt(createdAt.getTime()),
    gross: ({ price }: (typeof payments)[number]) => price.payerTotalMinor,
  };

  test.each([
    ["created_desc", "created", -1],
    ["created_asc", "created", 1],
    ["gross_desc", "gross", -1],
    ["gross_asc", "gross", 1],
  ] as const)("%s is kept from page to page, and no payment is left out", async (order, key, way) => {
    const { ids } = await walked(`${LIST}&order=${order}`);
    expect(ids.toSorted()).toEqual(payments.map(({ id }) => id).toSorted());
    const found = ids.flatMap((id) => payments.find((payment) => payment.id === id) ?? []).map(keys[key]);
    expect(found).toEqual(found.toSorted((a, b) => way * Number(a - b)));
  });

  test("is changed by the titles of its columns", async () => {
    const body = await page(`${LIST}&order=gross_desc`);
    expect(body).toMatch(/aria-sort="descending"[^>]*>\s*<a href="[^"]*order=gross_asc/);
  });
});

test.each(["pending", "processing", "failed", "expired"])(
  "a payment that is not paid has no fee and no net: %s",
  async (status) => {
    const cells =
      (await page(`${LIST}&status=${status}`)).match(
        /<td[^>]*data-label="(Tarifas|Líquido)"[^>]*>([^<]*)</g,
      ) ?? [];
    expect(cells.length).toBeGreaterThan(0);
    for (const cell of cells) expect(cell).toMatch(/>—<$/);
  },
);

test("only the chosen columns are shown, beside that of the payment", async () => {
  const [, table = ""] = (await page(`${LIST}&cols=net&cols=status`)).split(
    'aria-label="Pagamentos encontrados"',
  );
  const titles = [...table.matchAll(/data-label="([^"]+)"/g)];
  expect(new Set(titles.map(([, title]) => title))).toEqual(new Set(["Situação", "Líquido"]));
});

describe("a saved view", () => {
  const query = "from=2026-03-02&to=2026-03-02&status=failed&order=gross_desc&cols=net";

  test("is its user's own, brings filters, order and columns back, and can be removed", async () => {
    const address = `/console/test/payments?${query}`;
    const form = { form_token: await viewer.formToken(address), query };
    const saved = await viewer.send("/console/test/payments/views", { ...form, name: "<Recusados>" });
    expect([saved.statusCode, saved.headers.location]).toEqual([303, address]);
    const body = await page("/console/test/payments");
    expect(body).toContain("&lt;Recusados&gt;");
    expect(body).toContain(address.replaceAll("&", "&amp;"));
    expect(await page("/console/test/webhooks/deliveries")).not.toContain("Recusados");
    const other = await newUser();
    expect((await other.get("/console/test/payments")).body).not.toContain("Recusados");
    await viewer.send("/console/test/payments/views/remove", { ...form, name: "<Recusados>" });
    expect(await page("/console/test/payments")).not.toContain("Recusados");
  });

  test("needs a name, and a list has at most twenty", async () => {
    const user = await newUser();
    const token = await user.formToken("/console/test/payments");
    const send = async (name: string) =>
      (await user.send("/console/test/payments/views", { form_token: token, query, name })).statusCode;
    expect(await send(" ")).toBe(422);
    for (let number = 1; number <= 20; number++) expect(await send(`view ${number}`)).toBe(303);
    expect(await send("one more")).toBe(422);
    expect(await send("view 20")).toBe(303);
  });
});
