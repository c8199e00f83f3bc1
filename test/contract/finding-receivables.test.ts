import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const other = await createMerchant(service);
const live = new Api(service, merchant.tenant.liveKey);

const get = async (id: string, api = merchant.api) => await api.get(`/v1/receivables?payment_id=${id}`);

test("GET /v1/receivables lists what a card provider owes for a payment, by installment", async () => {
  const id = (await merchant.pay()).body.id;
  expect((await get(id)).body).toEqual({ data: [] });
  await rows.run(
    `INSERT INTO test.receivable_fact (tenant_id, payment_id, kind, installment, number, account_id, amount_minor, on_day, created_at)
      SELECT $1, $2, kind, 1, 1, 'pac_x', minor, day, now()
      FROM (VALUES ('receivable', 1000, date '2026-02-02'), ('provider_fee', 30, NULL)) AS fact (kind, minor, day)`,
    [merchant.tenant.id, id],
  );
  expect((await get(id)).body).toEqual({
    data: [
      {
        installment: 1,
        gross: 1000,
        provider_fee: 30,
        anticipation_fee: 0,
        chargeback: 0,
        refund_deduction: 0,
        payout: 0,
        outstanding: 970,
        currency: "BRL",
        expected_on: "2026-02-02",
      },
    ],
  });
  const unknown = { status: 404, code: "payment_not_found" };
  for (const answer of [await get(id, other.api), await get(id, live), await get(newId("pay"))])
    expectError(answer, unknown);
  for (const answer of [await merchant.api.get("/v1/receivables"), await get("")])
    expectError(answer, { param: "payment_id" });
  const refused = await merchant.api.get(`/v1/receivables?payment_id=${id}&status=open`);
  expectError(refused, { code: "unknown_parameter", param: "status" });
});
