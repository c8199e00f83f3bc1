import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { DELIVERED_TYPES, INTERNAL_TYPES } from "../../contract/event-types.ts";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());

// Its tenants' first day, which has ended when they are used.
const FIRST_DAY = dayAt(service.clock.nowMs()).toString();

const NOPE = { tenantId: "ten_nope" };
const DAY = { from: "2026-01-01", to: "2026-01-31" };

/** As if by an internal caller for a tenant. */
function callsFor(tenantId: string, paymentId: string, linkId = ""): Record<string, () => Promise<unknown>> {
  const { transport } = service.core;
  const as = { headers: { ...service.internal.headers, "paylink-tenant": tenantId, "paylink-mode": "test" } };
  const ledger = createClient(LedgerService, transport);
  const links = createClient(LinksService, transport);
  const pricing = createClient(PricingService, transport);
  const webhooks = createClient(WebhooksService, transport);
  const providers = createClient(ProvidersService, transport);
  const reconciliation = createClient(ReconciliationService, transport);
  const refunds = createClient(RefundsService, transport);
  return {
    listPayments: () => ledger.listPayments(DAY, as),
    listLinkPayments: () => links.listLinkPayments({ id: linkId }, as),
    searchPayments: () => ledger.searchPayments({ filter: DAY }, as),
    getTrialBalance: () => ledger.getTrialBalance({}, as),
    listSeals: () => ledger.listSeals(DAY, as),
    listCloses: () => ledger.listCloses({}, as),
    sealDay: () => ledger.sealDay({ day: FIRST_DAY }, as),
    listPaymentLinks: () => links.listPaymentLinks({}, as),
    createPaymentLink: () => {
      const headers = { ...as.headers, "idempotency-key": crypto.randomUUID() };
      return links.createPaymentLink({ amount: 5000n, currency: "BRL" }, { headers });
    },
    listQuotes: () => pricing.listQuotes({}, as),
    getRateStanding: () => pricing.getRateStanding({}, as),
    listEvents: () => webhooks.listEvents({}, as),
    listObjectEvents: () => webhooks.listObjectEvents({ objectIds: ["pay_1"] }, as),
    listDeliveries: () => webhooks.listDeliveries({}, as),
    listWebhookEndpoints: () => webhooks.listWebhookEndpoints({}, as),
    createWebhookEndpoint: () => webhooks.createWebhookEndpoint({ url: "http://localhost:3999/hook" }, as),
    listProviderAccounts: () => providers.listProviderAccounts({}, as),
    listUnknownMoney: () => providers.listUnknownMoney({}, as),
    listRefunds: () => refunds.listRefunds({ id: paymentId }, as),
    listTenantRefunds: () => refunds.listTenantRefunds({}, as),
    listExceptionRefunds: () => refunds.listExceptionRefunds({ paymentId }, as),
    getRefundable: () => refunds.getRefundable({ paymentId }, as),
    summarizeRefunds: () => refunds.summarizeRefunds(DAY, as),
    listReturns: () => refunds.listReturns({ paymentId }, as),
    summarizeReceivables: () => ledger.summarizeReceivables(DAY, as),
    listDisputes: () => refunds.listDisputes({}, as),
    listBankAccounts: () => reconciliation.listBankAccounts({}, as),
    createBankAccount: () => reconciliation.createBankAccount({ name: "x" }, as),
    listReconciledDays: () => reconciliation.listReconciledDays(DAY, as),
    listMedia: () => createClient(MediaService, transport).listMedia({}, as),
  };
}

test("a tenant that does not exist is tenant_not_found for every RPC", async () => {
  const merchant = await createMerchant(service);
  const { id } = merchant.tenant;
  const { id: paymentId, link_id: linkId } = (await merchant.pay()).body;
  service.clock.advance(2 * 86_400);
  const known = callsFor(id, paymentId, linkId);
  for (const [name, call] of Object.entries(known)) {
    expect({ name, code: await codeOf(call()) }).toEqual({ name, code: "ok" });
  }
  // One that could be, and one that could not.
  for (const tenantId of [
    `ten_${id.slice(4).replace(/.$/, (last) => (last === "0" ? "1" : "0"))}`,
    "ten_nope",
  ]) {
    for (const [name, call] of Object.entries(callsFor(tenantId, paymentId))) {
      expect({ name, code: await codeOf(call()) }).toEqual({ name, code: "tenant_not_found" });
    }
  }
});

test("one that is made later is found from then on", async () => {
  const { id } = await service.createTenant();
  expect(await codeOf(callsFor("ten_nope", "")["listEvents"]?.() as Promise<unknown>)).toBe(
    "tenant_not_found",
  );
  expect(await codeOf(callsFor(id, "")["listEvents"]?.() as Promise<unknown>)).toBe("ok");
});

test("so is one that a field names", async () => {
  const { transport } = service.core;
  const identity = createClient(IdentityService, transport);
  const users = createClient(UsersService, transport);
  const pricing = createClient(PricingService, transport);
  const { internal } = service;
  const calls = [
    identity.listApiKeys(NOPE, internal),
    identity.revokeApiKey({ ...NOPE, id: "key_x" }, internal),
    identity.renameLegalEntity({ ...NOPE, id: "le_x", name: "x" }, internal),
    identity.replaceLegalEntity({ ...NOPE, id: "le_x", name: "x", payoutCurrency: "BRL" }, internal),
    identity.deactivateLegalEntity({ ...NOPE, id: "le_x" }, internal),
    users.listMembers(NOPE, internal),
    users.revokeInvitation({ ...NOPE, id: "inv_x" }, internal),
    pricing.listPricingRules({ ...NOPE, mode: Mode.TEST }, internal),
    pricing.getFxRate({ ...NOPE, mode: Mode.TEST }, internal),
    createClient(AuditLogService, transport).listAuditEntries(NOPE, internal),
  ];
  expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "tenant_not_found"));
});

test("an unknown type of event is refused with those that there are", async () => {
  const { id } = await service.createTenant();
  const webhooks = createClient(WebhooksService, service.core.transport);
  const as = { headers: { ...service.internal.headers, "paylink-tenant": id, "paylink-mode": "test" } };
  const all = [...DELIVERED_TYPES, ...INTERNAL_TYPES].join(", ");
  await expect(webhooks.listEvents({ type: "payment.paid" }, as)).rejects.toThrow(
    `type must be one of ${all}.`,
  );
  await expect(webhooks.listDeliveries({ eventType: "x" }, as)).rejects.toThrow(
    `event_type must be one of ${all}.`,
  );
  await expect(webhooks.listDeliveries({ type: "x" }, as)).rejects.toThrow(`type must be one of ${all}.`);
  for (const type of all.split(", ")) expect(await codeOf(webhooks.listEvents({ type }, as))).toBe("ok");
});
