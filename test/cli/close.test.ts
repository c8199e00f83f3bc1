import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts, type CorePorts } from "../support/core-server.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant } from "../support/merchant.ts";
import { runCommand } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";

const DAY = "2026-03-02";
const START = new Date("2026-03-02T03:00:00Z");

let service: TestService;
let ports: CorePorts;
let rows: DatabaseRows;
beforeAll(async () => {
  service = await startService();
  ports = await openCorePorts(service.core);
  rows = await new DatabaseRows(service.databaseUrl).open();
});
afterAll(async () => {
  await rows.close();
  await ports.close();
  await service.close();
});

test("paylink close seals a day, shows the seal and finds rows that were altered", async () => {
  service.clock.set(new Date("2026-03-05T12:00:00Z"));
  const { tenant } = await createMerchant(service);
  await insertPayments(rows, tenant.id, randomPayments(3, START, new Date(START.getTime() + 86_400_000)));
  const close = async (verb: string, day = DAY) => {
    const args = ["close", verb, day, "--tenant", tenant.id, "--mode", "test", "--json"];
    const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
    const { code, stdout, stderr } = await runCommand(args, env);
    return { code, stderr, told: stdout === "" ? null : (JSON.parse(stdout) as Record<string, unknown>) };
  };
  expect(await close("show")).toMatchObject({ code: 1, stderr: expect.stringContaining("seal_not_found") });
  expect(await close("seal", "2026-03-05")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("day_not_ended"),
  });
  const sealed = await close("seal");
  expect(sealed).toMatchObject({ code: 0, told: { day: DAY, payments: 3, format: 1, sealed_now: "yes" } });
  expect((await close("seal")).told).toEqual({ ...sealed.told, sealed_now: "no" });
  const { sealed_now: _, ...seal } = sealed.told ?? {};
  expect(await close("show")).toEqual({ code: 0, stderr: "", told: seal });
  const { sha256 } = seal;
  expect(await close("verify")).toEqual({
    code: 0,
    stderr: "",
    told: {
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
  expect(await close("verify")).toMatchObject({ code: 1, told: { result: "broken", sealed_sha256: sha256 } });
});
