import { expect, test } from "vitest";
import { REFUNDS_MAX } from "../../src/providers/ports.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refund = async (id: string) => await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 1 });

test("a payment has at most 100 refunds, also when the last ones are asked for at once", async () => {
  const { body: payment } = await merchant.pay();
  for (let count = 1; count < REFUNDS_MAX; count++) expect((await refund(payment.id)).status).toBe(201);
  const last = await Promise.all([refund(payment.id), refund(payment.id), refund(payment.id)]);
  expect(last.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = await merchant.api.post(`/v1/payments/${payment.id}/refunds`, {});
  expectError(refused, { status: 400, code: "invalid_request", param: null });
  expect(refused.body.error.message).toBe(
    "A payment has at most 100 refunds: give the rest back at its provider.",
  );
  expect(await rows.count("test.refund WHERE payment_id = $1", [payment.id])).toBe(REFUNDS_MAX);
  expect((await merchant.api.get(`/v1/payments/${payment.id}`)).body.refunded_amount).toBe(REFUNDS_MAX);
  const { body: other } = await merchant.pay();
  expect((await refund(other.id)).status).toBe(201);
  expect((await checkLedger(service)).problems).toEqual([]);
});
