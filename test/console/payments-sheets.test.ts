import { parse } from "csv-parse/sync";
import readExcelFile from "read-excel-file/node";
import { describe, expect, test } from "vitest";
import { insertPayments, randomPayments, type BulkPayment } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const COUNT = 130;
const DAY = "2026-03-02";
const EXPORT = "/console/test/payments/export";
const QUERY = `from=${DAY}&to=${DAY}`;
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const SHORT = /^[\d,.-]{1,18}$/;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const ODD = [
  "=1+1;=2",
  "constructor",
  "__proto__",
  "toString",
  "a\u0001b",
  "_x0041_",
  "_x0041_x0042_",
  "_x005F_x0041_",
  "_x0041\u0001_x00e9_",
  "line\r\nline\rline\ttab",
  "\u007F\u0085\uFFFD\uFFFE\u{1FFFE}x",
];
const payments = randomPayments(COUNT, START, END).map((payment, index) => ({
  ...payment,
  reference: ODD[index] ?? payment.reference,
}));
await insertPayments(rows, merchant.tenant.id, payments);
const finance = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
const byId = new Map(payments.map((payment) => [payment.id, payment]));

const WORDS = {
  "pt-BR": {
    pending: "Pendente",
    processing: "Em processamento",
    succeeded: "Pago",
    failed: "Recusado",
    expired: "Expirado",
  },
  en: {
    pending: "Pending",
    processing: "Processing",
    succeeded: "Paid",
    failed: "Declined",
    expired: "Expired",
  },
} as const;

/** The amount with a decimal comma, or "" where it came to nothing. */
const amountText = ({ status }: BulkPayment, minor: bigint, always = false) => {
  if (!always && status !== "succeeded") return "";
  const digits = String(minor).padStart(3, "0");
  return `${digits.slice(0, -2)},${digits.slice(-2)}`;
};

describe("CSV for Excel in Portuguese", () => {
  test.each(["pt-BR", "en"] as const)("has semicolons, decimal commas and words of %s", async (language) => {
    const { body, headers } = await finance.get(`${EXPORT}.excel.csv?${QUERY}&lang=${language}`);
    expect(headers["content-disposition"]).toBe(
      `attachment; filename="payments-test-${DAY}-to-${DAY}.excel.csv"`,
    );
    const [titles, ...lines] = parse(body, { bom: true, delimiter: ";" });
    expect(titles?.slice(0, 3)).toEqual(
      language === "en"
        ? ["Payment", "Started (São Paulo)", "Status"]
        : ["Pagamento", "Início (São Paulo)", "Situação"],
    );
    expect(lines).toHaveLength(COUNT);
    for (const [id = "", created, status, , , , gross, , fee, , net] of lines) {
      const payment = byId.get(id);
      if (!payment) throw new Error(`no payment ${id}`);
      const { price } = payment;
      expect([status, gross, fee, net]).toEqual([
        WORDS[language][payment.status],
        amountText(payment, price.payerTotalMinor, true),
        amountText(payment, price.totalFeeMinor),
        amountText(payment, price.receiverNetMinor),
      ]);
      expect(created).toMatch(/^02\/03\/2026 \d\d:\d\d:\d\d$/);
    }
    expect(body).toContain("'=1+1");
  });
});

describe("the Excel workbook", () => {
  test("holds each payment once, with amounts and times as numbers and texts as texts", async () => {
    const { rawPayload, headers } = await finance.get(`${EXPORT}.xlsx?${QUERY}&lang=pt-BR`);
    expect(headers["content-type"]).toContain("spreadsheetml");
    const sheets = await readExcelFile(rawPayload, { trim: false });
    const [, ...lines] = sheets[0]?.data ?? [];
    expect(lines.map(([id]) => String(id)).toSorted()).toEqual([...byId.keys()].toSorted());
    for (const [id, created, status, reference, , , gross, , , , net] of lines) {
      const payment = byId.get(String(id));
      if (!payment) throw new Error(`no payment ${String(id)}`);
      expect(status).toBe(WORDS["pt-BR"][payment.status]);
      // A day's fraction has no exact seconds.
      const wallMs = payment.createdAt.getTime() - 3 * 3_600_000;
      expect(Math.abs((created as unknown as Date).getTime() - wallMs)).toBeLessThan(10);
      const text = amountText(payment, payment.price.payerTotalMinor, true).replace(",", ".");
      expect(text).toMatch(SHORT);
      expect(Number(gross).toFixed(2)).toBe(text);
      if (payment.status !== "succeeded") expect(net).toBeNull();
      expect(reference).toBe(payment.reference || null);
    }
  });

  test("is in the audit log, and not for a viewer", async () => {
    const { body } = await finance.get("/console/test/audit?lang=en");
    expect(body).toContain("xlsx");
    const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
    for (const end of ["xlsx", "excel.csv"]) {
      expect((await viewer.get(`${EXPORT}.${end}?${QUERY}`)).statusCode).toBe(403);
    }
  });
});
