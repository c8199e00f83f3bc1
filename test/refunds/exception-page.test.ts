import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { newId } from "../../contract/ids.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { RefundScene } from "./scene.ts";

const HOUR_SECONDS = 3600;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const identity = createClient(IdentityService, service.core.transport);
const refunds = createClient(RefundsService, service.core.transport);

/** Pays a link, and its code once more. Returns what reads the payer's page, and the exception's id. */
async function paidTwice(merchant: Merchant) {
  const linkId = await merchant.newLink();
  const payer = new Payer(service, linkId);
  await payer.open();
  const { paymentId } = await payer.start();
  const reference = paymentId.replace("_", "");
  await payer.receipt(reference, 15_990n, `first-${reference}`);
  // The sandbox has the second money, and gives it back.
  await new RefundScene(service, merchant, rows).atProvider(paymentId, "paid");
  const { exceptionId = "" } = await payer.receipt(reference, 15_990n, `sandbox-${reference}`);
  const url = `/pay/${linkId}/${payer.sessionId}`;
  /** Returns the page's heading, and what it says of the second money. */
  const note = async (language = "pt-BR"): Promise<string> => {
    const { body } = await service.gateway.inject({ url, headers: { "accept-language": language } });
    const [, title = ""] = /<h1[^>]*>([^<]*)</.exec(body) ?? [];
    const [, text = ""] = /<p class="note" role="status">([^<]*)</.exec(body) ?? [];
    return `${title}. ${text}`.replaceAll(/\s+/g, " ").trim();
  };
  return { note, exceptionId };
}

test("the payer of a code paid twice reads that the money came twice, is on its way back, and is back", async () => {
  const merchant = await createMerchant(service);
  await identity.updateTenant({ tenantId: merchant.tenant.id, exceptionRefundHours: 24 }, service.internal);
  const { note } = await paidTwice(merchant);
  expect(await note()).toBe("Recebemos o seu pagamento duas vezes. R$ 159,90 está voltando para você.");
  expect(await note("en")).toBe("We received your payment twice. R$159.90 is on its way back to you.");
  service.clock.advance(24 * HOUR_SECONDS);
  await service.core.tasks.refundExceptions();
  expect(await note()).toContain("está voltando para você.");
  service.clock.advance(60);
  await service.core.tasks.checkRefunds();
  expect(await note()).toBe("Recebemos o seu pagamento duas vezes. R$ 159,90 já voltou para você.");
  expect(await note("en")).toBe("We received your payment twice. R$159.90 has gone back to you.");
});

test("a payer is promised nothing that a person still decides, and of a part that went back not all of it", async () => {
  const merchant = await createMerchant(service);
  const { note, exceptionId } = await paidTwice(merchant);
  const proposed =
    "Recebemos o seu pagamento duas vezes. Quem vende foi avisado e deve devolver R$ 159,90 a você.";
  expect(await note()).toBe(proposed);
  const key = () => ({ headers: { ...merchant.as.headers, "idempotency-key": newId("req") } });
  await refunds.refundException({ id: exceptionId, amount: 5000n }, key());
  service.clock.advance(60);
  await service.core.tasks.checkRefunds();
  expect(await note()).toBe(proposed);
  await refunds.refundException({ id: exceptionId }, key());
  service.clock.advance(60);
  await service.core.tasks.checkRefunds();
  expect(await note()).toContain("R$ 159,90 já voltou para você.");
});
