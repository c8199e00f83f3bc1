import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx, type BankRow } from "./books.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const ofCharge = "reference = (SELECT reference FROM test.charge WHERE payment_id = $1)";

test("of some days with faults exactly these are named, and every column adds up", async () => {
  const books = await Books.of(service);
  const bankAccountId = await books.sandboxBank();
  const days = [books.nextDay()];
  await books.pay(10_000);
  await books.pay(20_000);
  days.push(books.nextDay());
  const lost = await books.pay(30_000);
  await rows.run(`UPDATE test.sandbox_charge SET status = 'refused' WHERE ${ofCharge}`, [lost]);
  const unknown = [books.merchant.tenant.id, new Date(service.clock.nowMs())];
  await rows.run(
    `INSERT INTO test.sandbox_charge (tenant_id, reference, amount_minor, status, paid_at, created_at)
      VALUES ($1, 'unknown-money-1', 777, 'paid', $2, $2)`,
    unknown,
  );
  days.push(books.nextDay());
  const changed = await books.pay(40_000);
  await rows.run(`UPDATE test.sandbox_charge SET amount_minor = amount_minor - 137 WHERE ${ofCharge}`, [
    changed,
  ]);
  days.push(books.nextDay());
  await books.pay(50_000);
  books.nextDay();
  books.nextDay();
  await books.work();

  const lines = await books.statementLines();
  const own = lines.map(({ day, amount, reference }, index): BankRow => [
    day,
    // The bank has a centavo less of the last payment.
    index === lines.length - 1 ? amount - 1n : amount,
    `PIX RECEBIDO ${reference}`,
    `fit-${index}`,
  ]);
  const later: BankRow = [books.today(), 1n, "RENDIMENTO", "fit-interest"];
  const imported = await books.import(bankAccountId, ofx([...own, later]));
  expect(imported).toMatchObject({ importedCount: lines.length + 1, knownCount: 0 });

  const reports: unknown[] = [];
  for (const day of days) reports.push(await books.report(day));
  expect(reports).toEqual([
    { state: "even", differences: [] },
    { state: "differs", differences: ["books missing_there -30000 of 1", "books missing_here 777 of 1"] },
    { state: "differs", differences: ["books amount_differs -137 of 2"] },
    { state: "differs", differences: ["bank amount_differs -1 of 2"] },
  ]);
  for (const day of days) {
    const { ours, theirs, bank } = await books.day(day);
    for (const column of [ours, theirs, bank]) {
      if (!column) throw new Error(`${day} has two columns`);
      const { opening, incoming, fees, returns, outgoing, closing } = column;
      expect(opening + incoming + fees + returns + outgoing).toBe(closing);
    }
    expect(theirs?.stated).toBe(theirs?.closing);
  }
  const [first = "", , , last = ""] = days;
  const month = await books.client.listReconciledDays({ from: first, to: last }, books.as);
  expect(
    month.days.map(({ day, gross, difference, differenceCount }) => ({
      day,
      gross,
      difference,
      differenceCount,
    })),
  ).toEqual([
    { day: days[0], gross: 30_000n, difference: 0n, differenceCount: 0 },
    { day: days[1], gross: 777n, difference: 30_777n, differenceCount: 2 },
    { day: days[2], gross: 39_863n, difference: 137n, differenceCount: 1 },
    { day: days[3], gross: 50_000n, difference: 1n, differenceCount: 1 },
  ]);
});

test("refunds are compared, and a day whose statement is not read is open", async () => {
  const books = await Books.of(service);
  await books.sandboxBank();
  const day = books.nextDay();
  const id = await books.pay(10_000);
  await books.merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 2_500 });
  await books.work();
  expect((await books.report(day)).state).toBe("open");
  const next = books.nextDay();
  await books.work();
  const { statement, ours, theirs, state } = await books.day(day);
  expect(statement).toMatchObject({ isComplete: true, carries: true, lineCount: 2 });
  expect(ours).toMatchObject({ incoming: 10_000n, returns: -2_500n, closing: 7_500n });
  expect(theirs).toMatchObject({ incoming: 10_000n, returns: -2_500n, closing: 7_500n });
  expect(await books.rules()).toEqual(["reference 2", "reference 2"]);
  // The bank's file is not imported.
  expect({ state, next: (await books.report(next)).state }).toEqual({ state: 1, next: "open" });
});

test("what one tenant or mode has is in no other's lists", async () => {
  const [one, other] = [await Books.of(service), await Books.of(service)];
  const bankAccountId = await one.sandboxBank();
  await one.pay();
  await one.work();
  await one.import(bankAccountId, ofx([[one.today(), 5n, "TARIFA", "1"]]));
  const live = { headers: { ...one.as.headers, "paylink-mode": "live" } };
  for (const as of [other.as, live]) {
    expect((await one.client.listBankAccounts({}, as)).bankAccounts).toEqual([]);
    await expect(one.client.listBankLines({ bankAccountId }, as)).rejects.toThrow("no such bank account");
    expect((await one.client.listStatementLines({ accountId: "sandbox" }, as)).lines).toEqual([]);
    expect((await one.client.listMatches({}, as)).matches).toEqual([]);
    expect((await one.client.getReconciledDay({ day: one.today() }, as)).accounts).toEqual([]);
  }
  expect((await one.client.listBankLines({ bankAccountId }, one.as)).lines).toHaveLength(1);
});
