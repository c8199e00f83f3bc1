import { expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-02";
const START = new Date("2026-03-02T03:00:00Z");

interface Paid {
  readonly status: string;
  readonly payment_method: string;
  readonly gross_amount: number;
  readonly gross_currency: string;
  readonly fee_amount: number;
  readonly fee_currency: string;
  readonly net_amount: number;
  readonly net_currency: string;
}

/** The sums of payments as the API has them, by status. */
function sumsOf(payments: readonly Paid[]) {
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
  return [...Map.groupBy(payments, ({ status }) => status)].map(([status, members]) => ({
    status,
    method: members[0]?.payment_method,
    payments: members.length,
    gross: sum(members.map(({ gross_amount: amount }) => amount)),
    gross_currency: members[0]?.gross_currency,
    fee: sum(members.map(({ fee_amount: amount }) => amount)),
    fee_currency: members[0]?.fee_currency,
    net: sum(members.map(({ net_amount: amount }) => amount)),
    net_currency: members[0]?.net_currency,
  }));
}

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("paylink close seals a day, shows the seal and finds rows that were altered", async () => {
  service.clock.set(new Date("2026-03-05T12:00:00Z"));
  const { tenant, api } = await createMerchant(service);
  const [first, ...others] = randomPayments(3, START, new Date(START.getTime() + 86_400_000));
  if (!first) throw new Error("no payment");
  // Two are of one kind, and one of another.
  const { input, price } = first;
  const alike = others.map((payment) => ({
    ...payment,
    input,
    price,
    status: "succeeded" as const,
    failureCode: null,
  }));
  await insertPayments(rows, tenant.id, [
    ...alike,
    { ...first, status: "failed", failureCode: "pix_rejected" },
  ]);
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
  const close = async (verb: string, ...days: string[]) => {
    const args = [
      "close",
      verb,
      ...(days.length === 0 ? [DAY] : days),
      "--tenant",
      tenant.id,
      "--mode",
      "test",
      "--json",
    ];
    const { code, stdout, stderr } = await runCommand(args, env);
    return { code, stderr, json: stdout === "" ? null : (JSON.parse(stdout) as Record<string, unknown>) };
  };
  expect(await close("show")).toMatchObject({ code: 1, stderr: expect.stringContaining("seal_not_found") });
  expect(await close("seal", "2026-03-05")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("day_not_ended"),
  });
  for (const [verb, day] of [
    ["seal", "banana"],
    ["show", "2026-02-30"],
  ] as const) {
    const { code, stderr } = await close(verb, day);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("YYYY-MM-DD") });
    expect(stderr).not.toContain("[0-9]");
  }
  const sealed = await close("seal");
  expect(sealed).toMatchObject({ code: 0, json: { day: DAY, payments: 3, format: 3, sealed_now: "yes" } });
  expect((await close("seal")).json).toEqual({ ...sealed.json, sealed_now: "no" });
  const { json: both } = await close("seal", DAY, "2026-03-03");
  expect(both).toMatchObject([
    { day: DAY, sha256: sealed.json?.["sha256"], sealed_now: "no" },
    { day: "2026-03-03", payments: 0, sealed_now: "yes" },
  ]);
  const { sealed_now: _, ...seal } = sealed.json ?? {};
  expect(await close("show")).toEqual({ code: 0, stderr: "", json: seal });
  const { body } = await api.get(`/v1/payments?from=${DAY}&to=${DAY}`);
  expect(seal["sums"]).toHaveLength(2);
  expect(seal["sums"]).toEqual(expect.arrayContaining(sumsOf(body.data as Paid[])));
  const shown = await runCommand(["close", "show", DAY, "--tenant", tenant.id, "--mode", "test"], env);
  expect(shown.stdout).toMatch(/\nsums\nstatus +method +payments +gross +gross_currency +fee /);
  const { sha256 } = seal;
  expect(await close("verify")).toEqual({
    code: 0,
    stderr: "",
    json: {
      day: DAY,
      result: "intact",
      sealed_sha256: sha256,
      kept_sha256: sha256,
      rows: 3,
      changed_since: 0,
      changed: [],
    },
  });
  await rows.run("SET session_replication_role = replica");
  await rows.run("UPDATE test.sealed_rows SET bytes = bytes || '\\x20'");
  await rows.run("SET session_replication_role = origin");
  expect(await close("verify")).toMatchObject({ code: 1, json: { result: "broken", sealed_sha256: sha256 } });
});
