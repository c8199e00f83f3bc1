import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { seedPricing } from "../../cli/serve/seed.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { openCore } from "./core.ts";

/** Makes rules, a tenant with a test key, and payments with their price rows, 14 minutes apart. Returns the key. */
export async function prepareData(databaseUrl: string, coreToken: string, payments: number): Promise<string> {
  const core = await openCore(databaseUrl, coreToken, "http://127.0.0.1");
  const options = { headers: { authorization: `Bearer ${coreToken}` } };
  await seedPricing(createClient(PricingService, core.transport), options.headers);
  const identity = createClient(IdentityService, core.transport);
  const { id: tenantId } = await identity.createTenant({ name: "Bench", payoutCurrency: "BRL" }, options);
  const { key } = await identity.createApiKey({ tenantId, mode: Mode.TEST }, options);
  await core.close();
  await insertPayments(databaseUrl, tenantId, payments);
  return key;
}

async function insertPayments(connectionString: string, tenantId: string, payments: number): Promise<void> {
  const client = new pg.Client({ connectionString, options: "-c search_path=test,identity" });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(
    `INSERT INTO price (tenant_id, id, amount_minor, currency, method, installments, fee_handling, rule_id, percent_ppm,
      min_minor, max_minor, surcharge_ppm, iof_ppm, pricing_currency, base_minor, gross_minor, net_minor,
      percent_amount_minor, fixed_minor, raw_total_minor, service_fee_minor, installment_surcharge_minor,
      iof_amount_minor, total_fee_minor, payer_total_minor, receiver_net_minor, first_installment_minor,
      other_installment_minor, min_applied, max_applied, iof_applicable, iof_enabled, payer_currency,
      receiver_currency, created_at)
    SELECT $1, 'prc_' || lpad(n::text, 26, '0'), 15990, 'BRL', 'pix', 1, 'absorb', 'rul_1', 9900, 100, 15000, 0, 0, 'BRL',
      15990, 15990, 15792, 158, 40, 198, 198, 0, 0, 198, 15990, 15792, 15990, 15990, false, false, false, false, 'BRL',
      'BRL', now() FROM generate_series(1, ${payments}) n`,
    [tenantId],
  );
  await client.query(
    `INSERT INTO payment (tenant_id, id, link_id, price_id, method, status, is_single, reference, metadata, created_at, updated_at)
    SELECT $1, 'pay_' || lpad(n::text, 26, '0'), 'pl_' || lpad(n::text, 26, '0'), 'prc_' || lpad(n::text, 26, '0'), 'pix',
      'succeeded', true, 'order-' || n, ('{"order":"' || n || '","channel":"web"}')::json, t, t
    FROM (SELECT n, date_trunc('second', now() - n * interval '14 minutes') AS t FROM generate_series(1, ${payments}) n) s`,
    [tenantId],
  );
  for (const table of ["price", "payment"]) await client.query(`VACUUM ANALYZE ${table}`);
  await client.end();
}
