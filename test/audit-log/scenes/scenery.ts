import { createClient, type Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { CheckoutService } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { MediaService } from "../../../gen/paylink/media/v1/media_pb.ts";
import { ProviderKind, ProvidersService } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ReconciliationService } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { TestBank } from "../../api-pix/connected.ts";
import { configAt } from "../../provider-accounts/live-merchant.ts";
import type { DatabaseRows } from "../../support/database-rows.ts";
import { createMerchant } from "../../support/merchant.ts";
import { Payer } from "../../support/payer.ts";
import type { TestService } from "../../support/service.ts";
import { tokenHash, type TestUser, type Users } from "../../support/users.ts";

export type Options = { headers: Record<string, string> };
/** Makes one call that changes something, with these options. Returns the ids of the objects that its entries name. */
type Scene = (as: Options, on: Scenery) => Promise<readonly (string | undefined)[]>;
/** Scenes by their RPC, with more words where an RPC has several. */
export type Scenes = Readonly<Record<string, Scene>>;
export type Scenery = Awaited<ReturnType<typeof newScenery>>;

export const HOOK_URL = "https://93.184.215.14/hook";
export const LINK = { amount: 15_990n, currency: "BRL" };
export const session = ({ token }: TestUser) => ({ tokenHash: tokenHash(token) });

/** Returns what scenes are made of, with a merchant of its own. */
export async function newScenery(of: {
  readonly service: TestService;
  readonly rows: DatabaseRows;
  readonly users: Users;
  readonly bank: TestBank;
}) {
  const { service, users, bank } = of;
  const merchant = await createMerchant(service);
  const tenantId = merchant.tenant.id;
  const client = <Service extends DescService>(description: Service): Client<Service> =>
    createClient(description, service.core.transport);
  const newEndpoint = async () =>
    (await merchant.webhooks.createWebhookEndpoint({ url: HOOK_URL }, merchant.as)).endpoint?.id ?? "";
  const providers = client(ProvidersService);
  const reconciliation = client(ReconciliationService);
  const newBankAccount = async (): Promise<string> =>
    (await reconciliation.createBankAccount({ name: "Conta" }, merchant.as)).bankAccount?.id ?? "";
  return {
    ...of,
    merchant,
    tenantId,
    identity: client(IdentityService),
    auditLog: client(AuditLogService),
    pricing: client(PricingService),
    checkout: client(CheckoutService),
    refunds: client(RefundsService),
    media: client(MediaService),
    providers,
    reconciliation,
    newBankAccount,
    /** The key of a line of a bank's file. */
    newBankLine: async (): Promise<string> => {
      const bankAccountId = await newBankAccount();
      const line = "<STMTTRN><DTPOSTED>20261104<TRNAMT>1.00<FITID>1<MEMO>A</STMTTRN>";
      const content = Buffer.from(`OFXHEADER:100\n\n<OFX>${line}</OFX>\n`);
      await reconciliation.importBankFile({ bankAccountId, fileName: "a.ofx", content }, merchant.as);
      const { lines } = await reconciliation.listBankLines({ bankAccountId }, merchant.as);
      return lines[0]?.key ?? "";
    },
    newEndpoint,
    newKey: async () => await service.createKey(tenantId, "test"),
    joined: async (role: Role = Role.OWNER) => await users.join(tenantId, role),
    sessionId: async ({ token }: TestUser) => (await users.sessionOf(token)).session?.id,
    newPayer: async (): Promise<[payer: Payer, asked: { linkId: string; sessionId: string }]> => {
      const linkId = await merchant.newLink();
      const payer = new Payer(service, linkId);
      await payer.open();
      return [payer, { linkId, sessionId: payer.sessionId }];
    },
    /** An event whose delivery has an endpoint to go to. */
    newDelivery: async () => {
      const endpointId = await newEndpoint();
      const { delivery } = await merchant.webhooks.sendTestEvent({ endpointId }, merchant.as);
      return { endpointId, eventId: delivery?.eventId ?? "", deliveryId: delivery?.id ?? "" };
    },
    sealedDay: async () => {
      await merchant.pay();
      const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
      service.clock.advance(2 * 86_400);
      await merchant.ledger.sealDay({ day }, merchant.as);
      return day;
    },
    /** A new live account of a new tenant, at the test's bank. */
    connected: async (as: Options = merchant.as) => {
      const headers = {
        ...as.headers,
        "paylink-tenant": (await service.createTenant()).id,
        "paylink-mode": "live",
      };
      const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(bank) };
      const { account, callbackUrl } = await providers.putProviderAccount(request, { headers });
      return { id: account?.id ?? "", secret: callbackUrl.split("/").at(-1) ?? "" };
    },
  };
}
