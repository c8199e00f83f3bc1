/** Every service that the core offers beside health and reflection, written out. */
export const SERVICE_NAMES = [
  "paylink.checkout.v1.CheckoutService",
  "paylink.identity.v1.AuditLogService",
  "paylink.identity.v1.IdentityService",
  "paylink.identity.v1.UsersService",
  "paylink.ledger.v1.LedgerService",
  "paylink.links.v1.LinksService",
  "paylink.media.v1.MediaService",
  "paylink.pricing.v1.PricingService",
  "paylink.providers.v1.ProvidersService",
  "paylink.reconciliation.v1.ReconciliationService",
  "paylink.refunds.v1.RefundsService",
  "paylink.webhooks.v1.WebhooksService",
];
