import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { LookupFunction } from "node:net";
import { CheckoutService } from "../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService } from "../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService } from "../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProvidersService } from "../gen/paylink/providers/v1/providers_pb.ts";
import { ReconciliationService } from "../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhooksService } from "../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { checkoutEntities } from "./checkout/entities.ts";
import type { CheckoutDeps } from "./checkout/deps.ts";
import { Checkouts } from "./checkout/service.ts";
import { closesEntities } from "./closes/entities.ts";
import { closeRpcs } from "./closes/service.ts";
import type { TimeLimits } from "./providers/connection.ts";
import { auditLogRpcs } from "./audit-log/service.ts";
import { createMails } from "./mail/service.ts";
import type { MailConfig } from "./platform/config/outside-config.ts";
import { userEntities } from "./users/entities.ts";
import { Users } from "./users/service.ts";
import { identityEntities, IdOwner } from "./identity/entities.ts";
import { Identity } from "./identity/service.ts";
import { ledgerEntities } from "./ledger/entities.ts";
import { Ledger } from "./ledger/service.ts";
import { findOverrides } from "./ledger/settlement.ts";
import { AcceptedLinks } from "./links/accepted-links.ts";
import type { LinksDeps } from "./links/deps.ts";
import { linksEntities } from "./links/entities.ts";
import { Links } from "./links/service.ts";
import { mediaEntities } from "./media/entities.ts";
import { MediaRoom } from "./media/service.ts";
import type { MediaStorage } from "./media/storage.ts";
import type { AnnouncedCache } from "./platform/db/cache.ts";
import type { Databases, SchemaEntities } from "./platform/db/databases.ts";
import type { Mode } from "./platform/rpc/caller.ts";
import type { Clock } from "./platform/time/clock.ts";
import type { RegisterServices } from "./platform/rpc/direct-transport.ts";
import type { FaultLog } from "./platform/rpc/error-interceptor.ts";
import { Operations } from "./platform/rpc/operation.ts";
import type { Quotas } from "./platform/config/limits-config.ts";
import type { Encryption } from "./platform/db/encryption.ts";
import type { AccountsDeps } from "./provider-accounts/deps.ts";
import { providerAccountsEntities } from "./provider-accounts/entities.ts";
import { listAccounts } from "./provider-accounts/repository.ts";
import { LiveProviders } from "./provider-accounts/live-providers.ts";
import { ProviderAccounts } from "./provider-accounts/service.ts";
import type { WatchedFault } from "./provider-accounts/watched-provider.ts";
import { limitsOf } from "./providers/account-limits.ts";
import { providersEntities } from "./providers/entities.ts";
import { sandboxDirectory } from "./providers/sandbox/sandbox.ts";
import { SANDBOX_ACCOUNT } from "./reconciliation/deps.ts";
import { reconciliationEntities } from "./reconciliation/entities.ts";
import { Reconciliation } from "./reconciliation/service.ts";
import { receivablesEntities } from "./receivables/entities.ts";
import { Receivables } from "./receivables/service.ts";
import { refundsEntities } from "./refunds/entities.ts";
import { Refunds } from "./refunds/service.ts";
import { pricingEntities } from "./pricing/entities.ts";
import { Pricing } from "./pricing/service.ts";
import type { AddressPolicy } from "./platform/outside/outside-address.ts";
import { webhooksEntities } from "./webhooks/entities.ts";
import type { JsonWriter } from "./webhooks/event.ts";
import { Webhooks } from "./webhooks/service.ts";

/** The dependencies of the rooms. */
export interface RoomDeps {
  readonly databases: Databases;
  readonly cache: AnnouncedCache;
  readonly clock: Clock;
  readonly log: FaultLog & { info(details: object, message: string): void };
  readonly encryption: Encryption;
  readonly lookup: LookupFunction;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly jsonWriter: JsonWriter;
  readonly checkoutBase: string;
  /** The address before the secret of each provider account's callbacks. */
  readonly callbackBase: string;
  /** Is called for every failure of a provider. */
  readonly onProviderFault: (kind: string) => void;
  /** The addresses at which providers may be reached. */
  readonly providerPolicy: AddressPolicy;
  readonly providerLimits: TimeLimits;
  readonly consoleUrl: string;
  readonly mediaBase: string;
  readonly mediaStorage: MediaStorage;
  readonly quotas: Quotas;
  /** Undefined: no e-mail is sent. */
  readonly mail: MailConfig | undefined;
}

/** The rooms, each with its dependencies on others. */
export interface Rooms {
  readonly identity: Identity;
  readonly users: Users;
  readonly ledger: Ledger;
  readonly links: Links;
  readonly checkouts: Checkouts;
  readonly pricing: Pricing;
  readonly refunds: Refunds;
  readonly receivables: Receivables;
  readonly reconciliation: Reconciliation;
  readonly providerAccounts: ProviderAccounts;
  /** Closes the connections to providers. */
  readonly closeProviders: () => Promise<void>;
  readonly register: RegisterServices;
}

/** All services of the core except health and reflection. */
export const CORE_SERVICES: readonly DescService[] = [
  IdentityService,
  UsersService,
  AuditLogService,
  PricingService,
  LedgerService,
  RefundsService,
  ReconciliationService,
  LinksService,
  CheckoutService,
  WebhooksService,
  MediaService,
  ProvidersService,
];

/** What the rooms store. */
export const ENTITIES: SchemaEntities = {
  identity: [...identityEntities, ...userEntities],
  mode: [
    ...pricingEntities,
    ...ledgerEntities,
    ...closesEntities,
    ...linksEntities,
    ...checkoutEntities,
    ...providersEntities,
    ...refundsEntities,
    ...receivablesEntities,
    ...reconciliationEntities,
    ...providerAccountsEntities,
    ...webhooksEntities,
    ...mediaEntities,
    IdOwner,
  ],
};

export function createRooms(deps: RoomDeps): Rooms {
  const { databases, cache, clock, log, encryption, lookup, policies, jsonWriter } = deps;
  const { checkoutBase, mediaBase, mediaStorage, consoleUrl, quotas, mail } = deps;
  const { callbackBase, providerPolicy, providerLimits, onProviderFault } = deps;
  const { environments } = databases;
  const mails = mail && createMails(mail, { identity: databases.identity, clock, encryption, log, lookup });
  const users = new Users({
    identity: databases.identity,
    clock,
    encryption,
    quotas,
    consoleUrl,
    succeededOf: async (asked) => await ledger.succeededPayments("live", asked),
    mails,
  });
  const identity = new Identity({
    identity: databases.identity,
    databases,
    encryption,
    cache,
    clock,
    roleOf: users.roleOf.bind(users),
    quotas,
    onFault: (error) => log.info({ err: error }, "uses of keys were not noted"),
  });
  const requireTenant = (tenantId: string): Promise<void> | undefined => identity.tenants.require(tenantId);
  const operations = new Operations({
    clock,
    environments,
    requireTenant,
    encryption,
    replica: databases.replica,
  });
  const common = { clock, environments, operations };
  const webhooks = new Webhooks({ ...common, encryption, policies, lookup, jsonWriter });
  const recordEvents = webhooks.recordEvents.bind(webhooks);
  const ledger = new Ledger({ ...common, encryption, identity, recordEvents });
  const media = new MediaRoom({ ...common, identity, mediaStorage, mediaBase, quotas });
  const accountsDeps: AccountsDeps = {
    ...common,
    encryption,
    cache,
    lookup,
    log,
    providerPolicy,
    providerLimits,
    callbackBase,
    quotas,
    onProviderFault,
    noteBlock: async (...noted) => await receivables.noteBlock(...noted),
    closeBlocks: async (...closed) => await receivables.closeBlocks(...closed),
    ownerOf: identity.ownerOf.bind(identity),
  };
  const live = new LiveProviders(accountsDeps);
  const providers = { live, test: sandboxDirectory(environments.test, clock) };
  const accountLimits: LinksDeps["accountLimits"] = async (caller) =>
    limitsOf(await providers[caller.mode].offered(caller));
  const pricing = new Pricing({
    ...common,
    cache,
    identity,
    pricedIntent: ledger.pricedIntent.bind(ledger),
    links: new AcceptedLinks(environments),
    findOverrides: async (mode) => await findOverrides(environments[mode].pool),
    accountLimits,
  });
  const selling = { identity, pricing, ledger };
  const links = new Links({
    ...common,
    ...selling,
    accountLimits,
    media,
    checkoutBase,
    mediaBase,
    recordEvents,
    simulatedCharge: async (...charged) => await checkouts.simulatedCharge(...charged),
  });
  const paying = { ...selling, links, encryption, providers, quotas, mails };
  const onWrongAnswer = (): void => onProviderFault("wrong" satisfies WatchedFault);
  const refunds = new Refunds({
    ...common,
    identity,
    providers,
    recordEvents,
    refreshCharge: async (...asked) => await checkouts.refreshCharge(...asked),
    log,
    onWrongAnswer,
  });
  const hasReturns = refunds.hasReturns.bind(refunds);
  const receivables = new Receivables({
    ...common,
    providers,
    recordEvents,
    hasReturns,
    referencesOfMoney: async (...asked) => await checkouts.referencesOfMoney(...asked),
    log,
    onWrongAnswer,
  });
  const recordReturns: CheckoutDeps["recordReturns"] = async (call, paymentId, returns) => {
    await refunds.recordReturns(call, paymentId, returns);
    if (returns.length > 0) await receivables.closeBlocks(call, { paymentId });
  };
  const charging = {
    recordEvents,
    recordReturns,
    hasReturns,
    log,
    onWrongAnswer,
  };
  const checkouts = new Checkouts({ ...common, ...paying, ...charging, checkoutBase });
  const providerAccounts = new ProviderAccounts(accountsDeps, live, checkouts);
  const reconciliation = new Reconciliation({
    ...common,
    log,
    accountsOf: async (mode, tenantId) =>
      mode === "test"
        ? [SANDBOX_ACCOUNT]
        : (await listAccounts(environments.live, tenantId)).map(({ id }) => id),
    statementOf: async (mode, tenantId, accountId) =>
      mode === "test"
        ? (await providers.test.offered({ tenantId, mode })).accountStatement
        : await live.accountStatement(tenantId, accountId),
  });
  const ledgerRpcs: ServiceImpl<typeof LedgerService> = {
    ...ledger.rpcs,
    ...receivables.rpcs,
    ...checkouts.ledgerRpcs,
    ...closeRpcs({ clock, operations, identity, jsonWriter }),
  };
  const register: RegisterServices = (router) => {
    router.service(IdentityService, identity.rpcs);
    router.service(UsersService, users.rpcs);
    router.service(
      AuditLogService,
      auditLogRpcs({ identity: databases.identity, tenants: identity.tenants }),
    );
    router.service(PricingService, pricing.rpcs);
    router.service(LedgerService, ledgerRpcs);
    router.service(RefundsService, { ...refunds.rpcs, ...receivables.disputeRpcs });
    router.service(ReconciliationService, reconciliation.rpcs);
    router.service(LinksService, links.rpcs);
    router.service(CheckoutService, checkouts.rpcs);
    router.service(WebhooksService, webhooks.rpcs);
    router.service(MediaService, media.rpcs);
    router.service(ProvidersService, providerAccounts.rpcs);
  };
  const closeProviders = live.close.bind(live);
  const rooms = {
    identity,
    users,
    ledger,
    links,
    checkouts,
    refunds,
    receivables,
    reconciliation,
    pricing,
    providerAccounts,
  };
  return { ...rooms, closeProviders, register };
}
