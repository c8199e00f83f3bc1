import { createClient } from "@connectrpc/connect";
import { compactDecrypt } from "jose";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ENCRYPTED_COLUMNS } from "../../src/identity/data-key-rotation.ts";
import { DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { secondService, startService } from "../support/service.ts";
import { Users } from "../support/users.ts";

const NEXT_KEY = Buffer.alloc(32, 9);
const PHONE = "+5511912345678";
const HOOK_URL = "https://93.184.215.14/hook";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("every column of encrypted secrets is among those that a rotation changes", async () => {
  const found = await rows.read(
    `SELECT DISTINCT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema IN ('identity', 'live', 'test') AND data_type IN ('text', 'jsonb')
        AND (column_name ~ '(^|_)sealed($|_)' OR column_name = 'former_secrets') AND column_name <> 'sealed_by'`,
  );
  const changed = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table.replaceAll('"', "")}.${column}`);
  expect(changed.toSorted()).toEqual(found.map(({ name }) => String(name)).toSorted());
});

test("after a rotation the present key alone reads all secrets, and the former one none", async () => {
  const merchant = await createMerchant(service);
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url: HOOK_URL }, merchant.as);
  await merchant.webhooks.rotateWebhookSecret({ id: endpoint?.id ?? "" }, merchant.as);
  await new Users(service).join(merchant.tenant.id);
  const payer = new Payer(
    service,
    await merchant.newLink({ payment_methods: ["pix"], collect_fields: ["phone"] }),
  );
  await payer.open();
  const { paymentId } = await payer.start({ payer: { phone: PHONE } });

  const rotating = await secondService(service, { dataKey: NEXT_KEY, formerDataKeys: [DATA_KEY] });
  const identity = createClient(IdentityService, rotating.core.transport);
  const rotated = await identity.rotateDataKey({}, service.internal);
  expect(rotated).toMatchObject({ isComplete: true, formerKeyCount: 1 });
  // The endpoint's secret and its former one, the user's, the payer's and the check.
  expect(rotated.rowCount).toBeGreaterThanOrEqual(5n);
  expect(await identity.rotateDataKey({}, service.internal)).toMatchObject({
    isComplete: true,
    rowCount: 0n,
  });
  await rotating.close();

  const next = await secondService(service, { dataKey: NEXT_KEY });
  const checkout = createClient(CheckoutService, next.core.transport);
  expect((await checkout.getPayerDetails({ paymentId }, merchant.as)).payer?.phone).toBe(PHONE);
  await next.close();
  await expect(secondService(service)).rejects.toThrow("The data key (DATA_KEY, else data-key in DATA_DIR)");
  const texts = await rows.allTexts();
  expect(texts).toMatch(/eyJ[\w-]+\.\./);
  for (const [encrypted] of texts.matchAll(/eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+/g)) {
    await expect(compactDecrypt(encrypted, NEXT_KEY)).resolves.toBeDefined();
  }
});
