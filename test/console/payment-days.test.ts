import { beforeAll, describe, expect, test } from "vitest";
import type { RoleName } from "../../contract/roles.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const COUNT = 130;

const clients = {} as Record<RoleName, ConsoleClient>;
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const payments = randomPayments(COUNT, START, END);
const [first] = payments;
if (!first) throw new Error("no payment");
payments[0] = { ...first, reference: HOSTILE, metadata: { [HOSTILE]: HOSTILE, list: [HOSTILE] } };
await insertPayments(rows, merchant.tenant.id, payments);
for (const role of ["owner", "developer", "finance", "viewer"] as const) {
  clients[role] = new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));
}

describe("a sealed day", () => {
  const address = "/console/test/close/2026-03-15";
  beforeAll(async () => {
    await merchant.ledger.sealDay({ day: "2026-03-15" }, merchant.as);
  });

  test("is shown at once, and verified as a part of its own or as a page", async () => {
    const day = await clients.viewer.get(address);
    expect(day.body).toContain("seal-hash");
    expect(day.body).toContain(`data-hx-get="${address}/verification"`);
    expect(day.body).not.toContain("é exatamente o que foi fechado");
    const part = await clients.viewer.get(`${address}/verification`, { "hx-request": "true" });
    expect(part.body).toMatch(/^<div id="verification">[^]*é exatamente o que foi fechado/);
    const page = await clients.viewer.get(`${address}/verification`);
    expect(page.body).toContain("seal-hash");
    expect(page.body).toContain("é exatamente o que foi fechado");
    expect((await clients.viewer.get("/console/test/close/2026-03-16/verification")).statusCode).toBe(404);
  });

  test.each([
    [`${address}?after=zzz`, 200],
    [`${address}/verification?after=zzz`, 404],
    [`${address}/verification?after=${"z".repeat(300)}`, 404],
    ["/console/test/close/0000-01-01", 404],
    ["/console/test/close/9999-12-31", 200],
    ["/console/test/close?month=9999-12", 200],
    ["/console/test/close?month=0001-01", 200],
    ["/console/test/close?month=0000-01", 422],
    ["/console/test/close?month=2026-13", 422],
  ])("%s is answered with %s", async (path, status) => {
    const { statusCode, body } = await clients.owner.get(path);
    expect(statusCode).toBe(status);
    expect(body.includes('id="field-month-problem"')).toBe(status === 422);
  });
});

test("a day that the command line sealed shows it in words", async () => {
  const { headers } = merchant.as;
  await merchant.ledger.sealDay(
    { day: "2026-03-20" },
    { headers: { ...headers, "paylink-actor": "command_line" } },
  );
  for (const [language, text] of [
    ["pt-BR", "Linha de comando"],
    ["en", "Command line"],
  ]) {
    const { body } = await clients.finance.get(`/console/test/close/2026-03-20?lang=${language}`);
    expect(body).toContain(`<bdi>${text}</bdi>`);
    expect(body).not.toContain("command_line");
  }
});
