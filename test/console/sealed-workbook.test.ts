import readExcelFile from "read-excel-file/node";
import { expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const COUNT = 60;
const ADDRESS = `/console/test/close/${DAY}`;
const STATUSES: Readonly<Record<string, string>> = {
  pending: "Pendente",
  processing: "Em processamento",
  succeeded: "Pago",
  failed: "Recusado",
  expired: "Expirado",
};

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a sealed day's workbook has the rows as they were sealed, after any change", async () => {
  const merchant = await createMerchant(service);
  const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
  await insertPayments(rows, merchant.tenant.id, randomPayments(COUNT, START, END));
  // Of a status, whatever was refunded: the list and the workbook say it of each payment.
  const totals = async () => textOf((await finance.get(`${ADDRESS}?lang=pt-BR`)).body);
  expect(await totals()).toMatch(/Recebido Todos \d+ R\$/);
  await merchant.ledger.sealDay({ day: DAY }, merchant.as);
  expect(await totals()).toMatch(/Recebido Todos \d+ R\$/);
  expect(await totals()).not.toMatch(/Pago Todos/);
  const sealed = (await finance.get(`${ADDRESS}/sealed.jsonl`)).body
    .split("\n")
    .slice(0, -1)
    .map(
      (line) =>
        JSON.parse(line) as { id: string; status: string; reference: string | null; gross_amount: number },
    );
  await rows.run("UPDATE test.payment SET reference = 'later' WHERE tenant_id = $1", [merchant.tenant.id]);

  await rows.run(
    `UPDATE test.payment SET refunded_minor = 1, refund_reserved_minor = 1
      WHERE tenant_id = $1 AND status = 'succeeded'`,
    [merchant.tenant.id],
  );

  expect((await finance.get(ADDRESS)).body).toContain(`href="${ADDRESS}/sealed.xlsx"`);
  const { rawPayload, headers } = await finance.get(`${ADDRESS}/sealed.xlsx?lang=pt-BR`);
  expect(headers).toMatchObject({
    "content-disposition": `attachment; filename="sealed-test-${DAY}.xlsx"`,
    "paylink-row-count": String(COUNT),
  });
  const [titles, ...lines] = (await readExcelFile(rawPayload, { trim: false }))[0]?.data ?? [];
  expect(titles?.slice(0, 3)).toEqual(["Pagamento", "Início (São Paulo)", "Situação"]);
  // What a sealed row does not have is no column.
  expect(titles).not.toContain("Produto");
  const at = (title: string): number => titles?.indexOf(title) ?? -1;
  const shown = lines.map((line) => [line[0], line[2], line[3] ?? "", Number(line[at("Bruto")]).toFixed(2)]);
  expect(shown).toEqual(
    sealed.map((row) => [
      row.id,
      STATUSES[row.status],
      row.reference ?? "",
      (row.gross_amount / 100).toFixed(2),
    ]),
  );
  expect(lines.filter((line) => line[at("Devolvido")] !== null)).toEqual([]);
  expect((await finance.get("/console/test/audit?lang=en")).body).toContain("xlsx");
});
