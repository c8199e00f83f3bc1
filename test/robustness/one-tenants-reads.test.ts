import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

// More than the connections of a pool.
const AT_ONCE = 24;
const PERIOD = { from: "2026-03-01", to: "2026-03-31" };
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const [busy, other] = [await createMerchant(service), await createMerchant(service)];
const { transport } = service.core;
const checkout = createClient(CheckoutService, transport);
const refunds = createClient(RefundsService, transport);
const auditLog = createClient(AuditLogService, transport);
const SALE = { amount: 15_990, currency: "BRL", payment_method: "pix" };

test.each<[what: string, table: string, ask: () => Promise<unknown>]>([
  ["sums", "test.payment", async () => await busy.ledger.summarizePayments({ filter: PERIOD }, busy.as)],
  ["a search", "test.payment", async () => await busy.ledger.searchPayments({ filter: PERIOD }, busy.as)],
  [
    "the API's list",
    "test.payment",
    async () => await busy.api.get("/v1/payments?from=2026-03-01&to=2026-03-31"),
  ],
  ["the list of links", "test.payment_link", async () => await busy.links.listPaymentLinks({}, busy.as)],
  ["the list of seals", "test.day_seal", async () => await busy.ledger.listSeals(PERIOD, busy.as)],
  ["sums of refunds", "test.refund", async () => await refunds.summarizeRefunds(PERIOD, busy.as)],
  ["exceptions", "test.payment_exception", async () => await checkout.listPaymentExceptions({}, busy.as)],
  [
    "the audit log",
    "identity.audit_entry",
    async () => await auditLog.listAuditEntries({ tenantId: busy.tenant.id }, service.internal),
  ],
])(
  "a tenant that asks for %s again and again leaves connections to another tenant",
  async (_what, table, ask) => {
    await rows.run(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const asked = Array.from({ length: AT_ONCE }, ask);
    try {
      await expect.poll(async () => await waitingFor(table)).toBeGreaterThan(0);
      expect((await other.api.post("/v1/quotes", SALE)).status).toBe(201);
      // Looked up in the database.
      expect((await new Api(service, `sk_test_${"x".repeat(32)}`).get("/v1/payments")).status).toBe(401);
    } finally {
      await rows.run("ROLLBACK");
    }
    await Promise.all(asked);
  },
);

async function waitingFor(table: string): Promise<number> {
  return await rows.count("pg_locks WHERE NOT granted AND relation = $1::regclass", [table]);
}
