import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx, type BankRow } from "../reconciliation/books.ts";
import { textOf } from "../support/page-text.ts";

const PATH = "/console/test/reconciliation";
const ENGLISH = { "accept-language": "en" };

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

async function finance(books: Books): Promise<ConsoleClient> {
  return new ConsoleClient(service, await createUser(service, books.merchant.tenant.id, "finance"));
}

/** Returns a page's text in English, with one space between words. */
async function read(by: ConsoleClient, path: string): Promise<string> {
  const { body, statusCode } = await by.get(path, ENGLISH);
  expect([path, statusCode]).toEqual([path, 200]);
  return textOf(body);
}

/** A day on which a payment came to the bank with 1,37 less than the statement says. */
async function shortDay() {
  const books = await Books.of(service);
  const bankAccountId = await books.sandboxBank();
  const day = books.nextDay();
  await books.pay(10_000);
  books.nextDay();
  books.nextDay();
  await books.work();
  const [line] = await books.statementLines();
  const row: BankRow = [day, 9_863n, `PIX RECEBIDO ${line?.reference ?? ""}`, "fit-1"];
  await books.import(bankAccountId, ofx([row, [books.today(), 1n, "RENDIMENTO", "fit-2"]]));
  await books.work();
  return { books, bankAccountId, day, by: await finance(books) };
}
