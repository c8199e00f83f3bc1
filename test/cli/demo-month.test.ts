import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  DifferenceKind,
  ReconciliationService,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayAt } from "../../contract/day.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { runCommand } from "../support/process.ts";
import { times } from "../support/scale.ts";
import { startService } from "../support/service.ts";

interface Difference {
  readonly line: string;
}

interface Fault {
  readonly day: string;
  readonly difference: string | null;
  readonly amount: number;
}

const kinds = wordsOf(DifferenceKind);
const FEW = 70;
const MANY = 2000;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const folder = await makeDataFolder();
await forFile(Promise.resolve({ close: folder.remove }));
const env = {
  CORE_URL: `http://${ports.http2}`,
  CORE_TOKEN,
  DATABASE_URL: service.databaseUrl,
  DATA_KEY: DATA_KEY.toString("base64"),
  DATA_DIR: folder.path,
};
const month = dayAt(service.clock.nowMs()).toPlainYearMonth().subtract({ months: 1 });

async function paylink(...args: string[]) {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}

const out = join(folder.path, "month");
const options = ["--month", month.toString(), "--payments", String(times(MANY, FEW)), "--folder", out];

/** Has the service's worker look for work all the while. */
async function besideWorker<T>(command: Promise<T>): Promise<T> {
  const { checkCharges, checkRefunds, expireLinks, refundExceptions, settle } = service.core.tasks;
  let isOver = false;
  const over = command.finally(() => (isOver = true));
  while (!isOver) {
    for (const task of [checkCharges, checkRefunds, expireLinks, refundExceptions, settle]) await task();
    await delay(5);
  }
  return await over;
}

/** Makes a month and imports its files, as a finance person does by the command line. */
async function openMonth() {
  const { code, stderr, json: made } = await besideWorker(paylink("demo", "month", ...options));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const own = ["--tenant", made.tenant as string, "--mode", "test"];
  const mapping = ["--mapping", join(out, "mapping.json")];
  const path = ["--provider-account", "sandbox", "--path", "line"];
  const account = await paylink("bank", "accounts", "create", ...own, "--name", "Banco", ...path, ...mapping);
  const files: { imported: number; known: number }[] = [];
  for (const file of ["bank-first-half.ofx", "bank-second-half.csv"]) {
    const imported = await paylink("bank", "import", join(out, file), "--account", account.json.id, ...own);
    expect(imported).toMatchObject({ code: 0, json: { rejected: [] } });
    files.push(imported.json);
  }
  await service.core.tasks.readStatements();
  await service.core.tasks.reconcile();
  return { made, files, own, faults: made.faults as Fault[] };
}

const { made, files, own, faults } = await openMonth();
const expected = faults.filter(({ difference }) => difference !== null);
const keyOf = (kind: string | null | undefined, day: string, amount: number) => `${day} ${kind} ${amount}`;

/** The differences of a day, as the command for a day has them. */
async function differencesOf(day: string): Promise<Difference[]> {
  return (await paylink("reconcile", "day", day, ...own)).json.differences;
}

test("paylink demo month makes a month whose differences are its faults, and clean books", async () => {
  expect(made).toMatchObject({ month: month.toString(), mode: "test", folder: out });
  expect(made.console).toContain("/console/invitations/");
  const days = (await paylink("reconcile", "month", month.toString(), ...own)).json;
  expect(days).toHaveLength(month.daysInMonth);
  const client = createClient(ReconciliationService, service.core.transport);
  const headers = { ...service.internal.headers, "paylink-tenant": made.tenant, "paylink-mode": "test" };
  const found: string[] = [];
  for (const { day, state, differences } of days) {
    const answer = await client.getReconciledDay({ day }, { headers });
    const all = [...answer.accounts.flatMap((account) => account.differences), ...answer.differences];
    expect({ day, state, count: differences }).toEqual({
      day,
      state: all.length === 0 ? "even" : "differs",
      count: all.length,
    });
    found.push(...all.map(({ kind, amount }) => keyOf(kinds.wordOf(kind), day, Number(amount))));
  }
  expect(found.toSorted()).toEqual(
    expected.map(({ difference, day, amount }) => keyOf(difference, day, amount)).toSorted(),
  );
  expect(expected.length).toBeGreaterThan(10);
  // Both files have the lines of one day.
  expect(files[0]?.known).toBe(0);
  expect(files[1]?.known).toBeGreaterThan(0);
  expect(await paylink("ledger", "check", "--mode", "test")).toMatchObject({
    code: 0,
    json: { result: "clean" },
  });
});

test("a difference is explained by one of its lines, and open again when the decision is undone", async () => {
  const alone = expected.find(({ day }) => expected.filter((fault) => fault.day === day).length === 1);
  const day = alone?.day ?? "";
  const [difference] = await differencesOf(day);
  const reason = ["--reason", "the bank's own fee"];
  const decided = await paylink("reconcile", "explain", day, difference?.line ?? "", ...reason, ...own);
  expect(decided).toMatchObject({ code: 0, json: { id: expect.stringMatching(/^rcd_/) } });
  const shown = (await paylink("reconcile", "day", day, ...own)).json;
  expect(shown).toMatchObject({ state: "explained", differences: [{ kind: "decided", reason: reason[1] }] });
  await paylink("reconcile", "undo", decided.json.id, ...own);
  expect((await paylink("reconcile", "day", day, ...own)).json).toMatchObject({ state: "differs" });
});

test("paylink demo month refuses a month that is there, is not over or is too long ago", async () => {
  const refuse = async (...args: string[]) => {
    const { code, stderr } = await paylink("demo", "month", ...args);
    expect(code).toBe(1);
    return stderr;
  };
  const [again, early, late] = await Promise.all([
    refuse(...options),
    refuse("--month", month.add({ months: 1 }).toString()),
    refuse("--month", "2020-01"),
  ]);
  expect(again).toContain(`${month.toString()} is there already`);
  expect(early).toContain("is not over");
  expect(late).toContain("is too long ago");
});
