import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { DayState, DifferenceKind, Leg } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { asUser } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx } from "./books.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** A day on which our books have a payment that the statement does not, and the statement money that our books do not. */
async function unevenDay() {
  const books = await Books.of(service);
  const day = books.nextDay();
  const lost = await books.pay(10_137);
  await rows.run(
    `UPDATE test.sandbox_charge SET status = 'refused'
      WHERE reference = (SELECT reference FROM test.charge WHERE payment_id = $1)`,
    [lost],
  );
  await rows.run(
    `INSERT INTO test.sandbox_charge (tenant_id, reference, amount_minor, status, paid_at, created_at)
      VALUES ($1, 'by-hand', 10000, 'paid', $2, $2)`,
    [books.merchant.tenant.id, new Date(service.clock.nowMs())],
  );
  books.nextDay();
  books.nextDay();
  await books.work();
  const { differences } = await books.day(day);
  return { books, day, lineKeys: differences.flatMap(({ lines }) => lines.map(({ key }) => key)) };
}

test("a decision explains what differs with its reason, can be undone, and both are in the audit log", async () => {
  const { books, day, lineKeys } = await unevenDay();
  const user = asUser(books.as);
  expect((await books.report(day)).differences).toHaveLength(2);

  const asked = { leg: Leg.BOOKS, lineKeys, reason: "paid in cash at the counter, 1,37 less" };
  const { decision } = await books.client.decide(asked, user);
  expect(await books.report(day)).toEqual({ state: "explained", differences: ["books decided -137 of 2"] });
  const [difference] = (await books.day(day)).differences;
  expect(difference).toMatchObject({ reason: asked.reason, decisionId: decision?.id });
  expect((await books.day(day)).closedAt).toBeDefined();

  const again = books.client.decide({ ...asked, lineKeys: lineKeys.slice(0, 1) }, user);
  await expect(again).rejects.toThrow(`undo that one first`);

  const undone = await books.client.undoDecision({ id: decision?.id ?? "" }, user);
  expect(undone.decision?.undoneAt).toBeDefined();
  expect((await books.report(day)).state).toBe("differs");
  expect((await books.day(day)).closedAt).toBeUndefined();
  const twice = await books.client.undoDecision({ id: decision?.id ?? "" }, user);
  expect(twice.decision).toEqual(undone.decision);

  const auditLog = createClient(AuditLogService, service.core.transport);
  const { entries } = await auditLog.listAuditEntries(
    { tenantId: books.merchant.tenant.id },
    service.internal,
  );
  expect(
    entries
      .map(({ action, objectId }) => ({ action, objectId }))
      .filter(({ objectId }) => objectId === decision?.id),
  ).toEqual([
    { action: "UndoDecision", objectId: decision?.id },
    { action: "Decide", objectId: decision?.id },
  ]);
});

test("lines of no side of the leg, unknown ones and those of two accounts are refused", async () => {
  const { books, lineKeys } = await unevenDay();
  const [other] = [await books.bankAccount()];
  const decide = async (leg: Leg, keys: string[]) =>
    await books.client.decide({ leg, lineKeys: keys, reason: "why" }, books.as);
  await expect(decide(Leg.BANK, lineKeys)).rejects.toThrow("on no side");
  await expect(decide(Leg.BOOKS, [`bank ${other} bkl_1`])).rejects.toThrow("does not exist");
  await expect(books.client.undoDecision({ id: "rcd_1" }, books.as)).rejects.toThrow("no such decision");
});

test("lines of a match that a rule made can be decided on: the match is dissolved", async () => {
  const books = await Books.of(service);
  const day = books.nextDay();
  await books.pay();
  books.nextDay();
  await books.work();
  const { matches } = await books.client.listMatches({}, books.as);
  const lineKeys = matches.flatMap(({ lines }) => lines.map(({ key }) => key));
  await books.client.decide({ leg: Leg.BOOKS, lineKeys, reason: "seen" }, books.as);
  expect(await books.rules()).toEqual(["decided 2"]);
  expect((await books.report(day)).differences).toEqual(["books decided 0 of 2"]);
});

test("an explained line of a bank account that no provider pays leaves its day even", async () => {
  const books = await Books.of(service);
  const day = books.nextDay();
  await books.pay();
  const other = await books.bankAccount();
  await books.import(other, ofx([[day, -500n, "tarifa", "A1"]]));
  books.nextDay();
  await books.work();
  const [line] = await books.bankLines(other);
  const asked = { leg: Leg.BANK, lineKeys: [`bank ${other} ${line?.id}`], reason: "the bank's fee" };
  await books.client.decide(asked, books.as);
  const found = await books.client.getReconciledDay({ day }, books.as);
  const { days } = await books.client.listReconciledDays({ from: day, to: day }, books.as);
  expect(found.differences).toMatchObject([{ kind: DifferenceKind.DECIDED, amount: -500n }]);
  expect([found.state, days[0]?.state]).toEqual([DayState.EVEN, DayState.EVEN]);
});

test("a line is kept as it came", async () => {
  const books = await Books.of(service);
  await books.pay();
  await books.work();
  for (const table of ["statement_line", "book_line"]) {
    await expect(rows.run(`UPDATE test.${table} SET amount_minor = 1`)).rejects.toThrow("append-only");
    await expect(rows.run(`DELETE FROM test.${table}`)).rejects.toThrow("append-only");
  }
});
