import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { RefundScene } from "../refunds/scene.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const scene = new RefundScene(service, merchant, rows);
const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));

const LIST = "/console/test/payments";
const idsOf = (body: string) => [...body.matchAll(/title="(pay_[0-9a-z]{26})"/g)].map(([, id = ""]) => id);
const listed = async (query: string) => idsOf((await finance.get(`${LIST}?${query}`)).body).toSorted();

const PRODUCT = "Tênis de corrida";
const shoes = { description: PRODUCT, amount: 123_456 };
const paid = await scene.paidByPix(shoes);
const inPart = await scene.paidByPix({ product_ref: "SKU-77/B", amount: 1200 });
await scene.refund(inPart, { amount: 200 });
const wholly = await scene.paidByPix();
await scene.refund(wholly);
const declined = String((await merchant.pay({}, { outcome: "failed" })).body.id);

describe("what became of a payment", () => {
  test.each([
    ["succeeded", [paid]],
    ["partially_refunded", [inPart]],
    ["refunded", [wholly]],
    ["failed", [declined]],
  ])("is a filter: %s", async (state, ids) => {
    expect(await listed(`status=${state}`)).toEqual(ids);
  });

  test("is in words in the list, in both languages, and the API keeps its status", async () => {
    for (const [language, part, whole] of [
      ["pt-BR", "Devolvido em parte", "Devolvido"],
      ["en", "Partially refunded", "Refunded"],
    ]) {
      const { body } = await finance.get(`${LIST}?lang=${language}`);
      const badges = [...body.matchAll(/class="badge [a-z]+">([^<]+)</g)].map(([, text]) => text);
      expect(badges).toContain(part);
      expect(badges).toContain(whole);
    }
    for (const id of [inPart, wholly]) expect((await scene.paymentOf(id)).status).toBe("succeeded");
  });

  test("parts the totals, with what went back, and what was paid is one sum", async () => {
    const { body } = await finance.get(`${LIST}?lang=pt-BR`);
    const [, totals = ""] = body.split('aria-label="Totais de tudo o que foi encontrado"');
    const text = textOf(totals.split("</table>")[0] ?? "");
    expect(text).toMatch(/Devolvido em parte Todos 1 R\$ 12,00 .* R\$ 2,00/);
    expect(text).toMatch(/Devolvido Todos 1 R\$ 159,90 .* R\$ 159,90/);
    expect(textOf(body)).toContain("R$ 1.406,46 3 pagamentos · Devolvido: R$ 161,90");
  });

  test("is in files for people, with product, end-to-end id, time of payment and settlement day", async () => {
    const { body } = await finance.get(`${LIST}/export.excel.csv?lang=en`);
    const lines: Record<string, string>[] = parse(body, { bom: true, delimiter: ";", columns: true });
    const line = (id: string) => lines.find((one) => one["Payment"] === id) ?? {};
    const { end_to_end_id: endToEndId } = await scene.paymentOf(paid);
    const { settlesOn = "" } = await merchant.ledger.getPaymentBridge({ paymentId: paid }, merchant.as);
    expect(line(paid)).toMatchObject({
      Status: "Paid",
      Product: PRODUCT,
      Payer: "",
      "Pix ID at the bank (end-to-end)": endToEndId,
      "Settlement day": settlesOn.split("-").toReversed().join("/"),
    });
    expect(line(paid)["Paid at (São Paulo)"]).toMatch(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/);
    expect(line(inPart)).toMatchObject({
      Status: "Partially refunded",
      Refunded: "2,00",
      Product: "SKU-77/B",
    });
    expect(line(declined)).toMatchObject({ Status: "Declined", Net: "", "Settlement day": "" });
  });
});

describe("a payment is found by", () => {
  test.each([
    ["its product, in any case", "tÊNIS de C", [paid]],
    ["its product reference", "sku-77", [inPart]],
    ["its amount with thousands", "1.234,56", [paid]],
    ["its amount without thousands", "1234,56", [paid]],
    ["its amount with a symbol", "R$ 12", [inPart]],
  ])("%s: %s", async (_, typed, ids) => {
    expect(await listed(`q=${encodeURIComponent(typed)}`)).toEqual(ids);
  });

  test("its net, the end of its id as the list shows it, and its end-to-end id on any day", async () => {
    const { net_amount: net, end_to_end_id: endToEndId } = await scene.paymentOf(paid);
    expect(await listed(`q=${(net / 100).toFixed(2).replace(".", ",")}`)).toEqual([paid]);
    for (const end of [paid.slice(-8), `…${paid.slice(-8)}`]) {
      expect(await listed(`q=${encodeURIComponent(end)}`)).toEqual([paid]);
    }
    expect(await listed(`q=${endToEndId}`)).toEqual([paid]);
    const bankId = ["E00000000", "202611290230", "abcdefghijk"].join("");
    await rows.run("UPDATE test.payment SET end_to_end_id = $1 WHERE id = $2", [bankId, paid]);
    expect(await listed(`q=${bankId}&from=2020-01-01&to=2020-01-01`)).toEqual([paid]);
    await rows.run("UPDATE test.payment SET end_to_end_id = $1 WHERE id = $2", [endToEndId, paid]);
  });

  test("nothing that it does not have", async () => {
    for (const typed of ["1.234,57", "R$ 13", "%", "Tênis de corrida%", "zzzzzzzz"]) {
      expect(await listed(`q=${encodeURIComponent(typed)}`)).toEqual([]);
    }
  });
});
