import { setImmediate as turn } from "node:timers/promises";
import readExcelFile from "read-excel-file/node";
import { expect, test } from "vitest";
import { VisitSemaphore } from "../../gateway/console/visit-semaphore.ts";
import { Refused } from "../../gateway/console/refused.ts";
import type { Visit } from "../../gateway/console/visit.ts";
import { workbook } from "../../gateway/console/export/workbook.ts";
import type { WorkbookRow } from "../../gateway/console/export/workbook-rows.ts";
import { longestStopMs } from "../support/event-loop.ts";

const STAYS = new AbortController().signal;
const COLUMNS = 14;

async function* rowsOf(pages: number, each = 100): AsyncGenerator<WorkbookRow[]> {
  for (let page = 0; page < pages; page++) {
    await turn();
    yield Array.from({ length: each }, (_, row) =>
      Array.from({ length: COLUMNS }, (__, column) => `text ${page} ${row} ${column}`),
    );
  }
}

test("a large workbook is made beside all other work", async () => {
  let bytes: Uint8Array = Buffer.of();
  const stopMs = await longestStopMs(async () => {
    bytes = await workbook("ten_1", rowsOf(100), STAYS);
  });
  const [sheet] = await readExcelFile(Buffer.from(bytes));
  expect(sheet?.data).toHaveLength(10_000);
  // In the process itself it takes over a second in one piece.
  expect(stopMs).toBeLessThan(400);
});

test("the rows of a workbook are read when the tenant's one before it is made, or its client has left", async () => {
  const client = new AbortController();
  const isReading = Promise.withResolvers<void>();
  const events: string[] = [];
  async function* read(name: string, until?: Promise<void>): AsyncGenerator<WorkbookRow[]> {
    events.push(`${name} is read`);
    yield [["title"]];
    isReading.resolve();
    await until;
    yield [["row"]];
  }
  const never = new Promise<void>((resolve) => client.signal.addEventListener("abort", () => resolve()));
  const left = workbook("ten_1", read("the first", never), client.signal);
  const next = workbook("ten_1", read("the second"), STAYS);
  await isReading.promise;
  expect(events).toEqual(["the first is read"]);
  client.abort();
  await expect(left).rejects.toThrow("aborted");
  expect((await next).length).toBeGreaterThan(1000);
  expect(events).toEqual(["the first is read", "the second is read"]);
  await expect(workbook("ten_1", read("one without a client"), client.signal)).rejects.toThrow("aborted");
  expect(events).toHaveLength(2);
});

test("a tenant's workbooks, however many, do not keep another tenant's waiting", async () => {
  const client = new AbortController();
  const { signal } = client;
  const stays = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const begun: number[] = [];
  async function* readForLong(number: number): AsyncGenerator<WorkbookRow[]> {
    begun.push(number);
    yield [["title"]];
    await stays;
    yield [["row"]];
  }
  const many = [1, 2, 3, 4].map((number) => workbook("ten_1", readForLong(number), signal));
  const other = await workbook("ten_2", rowsOf(1), STAYS);
  expect(other.length).toBeGreaterThan(1000);
  expect(begun).toEqual([1]);
  client.abort();
  for (const { status } of await Promise.allSettled(many)) expect(status).toBe("rejected");
});

test("the permit of a client that has left is free when its work has ended", async () => {
  const semaphore = new VisitSemaphore({ total: 2, perKey: 1 });
  const work = Promise.withResolvers<void>();
  const visit = { tenantId: "ten_1", reply: { raw: { destroyed: true } }, ended: work.promise };
  semaphore.take(visit as unknown as Visit);
  await turn();
  expect(() => semaphore.take(visit as unknown as Visit)).toThrow(Refused);
  work.resolve();
  await turn();
  semaphore.take(visit as unknown as Visit);
});
