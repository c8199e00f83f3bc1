import { createClient, type Client } from "@connectrpc/connect";
import { getOption, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { lookup } from "node:dns";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CheckoutService, SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { AuditLogService, ExportKind } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { SimulatedOutcome } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { AuditedRead, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { testBank, type TestBank } from "../api-pix/connected.ts";
import { configAt } from "../provider-accounts/live-merchant.ts";
import { newId } from "../../contract/ids.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { asUser } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { png } from "../support/pictures.ts";
import { startService, type TestService } from "../support/service.ts";
import { PASSWORD, tokenHash, Users, type TestUser } from "../support/users.ts";

type Options = { headers: Record<string, string> };
/** Makes one call that changes something, with these options. Returns the ids of the objects that its entries name. */
type Scene = (as: Options) => Promise<readonly (string | undefined)[]>;

const URL = "https://93.184.215.14/hook";
const LINK = { amount: 15_990n, currency: "BRL" };

let service: TestService;
let rows: DatabaseRows;
let users: Users;
let merchant: Merchant;
let tenantId: string;
let bank: TestBank;
let media: Awaited<ReturnType<typeof pictureFolder>>;
beforeAll(async () => {
  media = await pictureFolder();
  service = await startService("direct", {
    mediaStorage: media.mediaStorage,
    allowLoopbackProviders: true,
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
  });
  bank = await testBank();
  rows = await new DatabaseRows(service.databaseUrl).open();
  users = new Users(service);
});
beforeEach(async () => {
  merchant = await createMerchant(service);
  tenantId = merchant.tenant.id;
});
afterAll(async () => {
  await rows.close();
  await service.close();
  await media.remove();
  await bank.bank.stop();
});

function client<Service extends DescService>(description: Service): Client<Service> {
  return createClient(description, service.core.transport);
}

/** A new live account of the tenant, at the test's bank. */
async function connected(as: Options = merchant.as): Promise<{ id: string; secret: string }> {
  const headers = {
    ...as.headers,
    "paylink-tenant": (await service.createTenant()).id,
    "paylink-mode": "live",
  };
  const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(bank) };
  const { account, callbackUrl } = await client(ProvidersService).putProviderAccount(request, { headers });
  return { id: account?.id ?? "", secret: callbackUrl.split("/").at(-1) ?? "" };
}

const identity = () => client(IdentityService);
const pricing = () => client(PricingService);
const checkout = () => client(CheckoutService);
const newKey = async () => await service.createKey(tenantId, "test");
const newEndpoint = async () =>
  (await merchant.webhooks.createWebhookEndpoint({ url: URL }, merchant.as)).endpoint?.id ?? "";
const session = ({ token }: TestUser) => ({ tokenHash: tokenHash(token) });
const sessionId = async ({ token }: TestUser) => (await users.sessionOf(token)).session?.id;
const joined = async (role: Role = Role.OWNER) => await users.join(tenantId, role);

async function newPayer(): Promise<[payer: Payer, asked: { linkId: string; sessionId: string }]> {
  const linkId = await merchant.newLink();
  const payer = new Payer(service, linkId);
  await payer.open();
  return [payer, { linkId, sessionId: payer.sessionId }];
}

/** An event whose delivery has an endpoint to go to. */
async function newDelivery(): Promise<{ endpointId: string; eventId: string; deliveryId: string }> {
  const endpointId = await newEndpoint();
  const { delivery } = await merchant.webhooks.sendTestEvent({ endpointId }, merchant.as);
  return { endpointId, eventId: delivery?.eventId ?? "", deliveryId: delivery?.id ?? "" };
}

async function sealedDay(): Promise<string> {
  await merchant.pay();
  const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
  service.clock.advance(2 * 86_400);
  await merchant.ledger.sealDay({ day }, merchant.as);
  return day;
}

const SCENES: Readonly<Record<string, Scene>> = {
  CreateTenant: async (as) => [
    (await identity().createTenant({ name: "New", payoutCurrency: "BRL" }, as)).id,
  ],
  UpdateTenant: async (as) => {
    await identity().updateTenant({ tenantId, name: newId("ten") }, as);
    return [tenantId];
  },
  CreateLegalEntity: async (as) => {
    const { id } = await service.createTenant();
    return [
      (await identity().createLegalEntity({ tenantId: id, name: "Second", payoutCurrency: "BRL" }, as)).id,
    ];
  },
  RenameLegalEntity: async (as) => {
    const id = merchant.tenant.legalEntityId;
    await identity().renameLegalEntity({ tenantId, id, name: newId("le") }, as);
    return [id];
  },
  ReplaceLegalEntity: async (as) => {
    const tenant = await service.createTenant();
    const id = tenant.legalEntityId;
    const asked = { tenantId: tenant.id, id, name: "Next", payoutCurrency: "BRL" };
    await identity().replaceLegalEntity(asked, as);
    return [id];
  },
  DeactivateLegalEntity: async (as) => {
    const tenant = await service.createTenant();
    await identity().deactivateLegalEntity({ tenantId: tenant.id, id: tenant.legalEntityId }, as);
    return [tenant.legalEntityId];
  },
  CreateApiKey: async (as) => [(await identity().createApiKey({ tenantId, mode: Mode.TEST }, as)).id],
  RevokeApiKey: async (as) => {
    const { id } = await newKey();
    await identity().revokeApiKey({ id }, as);
    return [id];
  },
  RotateApiKey: async (as) => {
    const { id } = await newKey();
    await identity().rotateApiKey({ id }, as);
    return [id];
  },
  CreateCoreToken: async (as) => [
    (await identity().createCoreToken({ name: "team", permissions: ["ledger:read"] }, as)).id,
  ],
  RevokeCoreToken: async (as) => {
    const made = { name: "team", permissions: ["ledger:read"], tenantId };
    const { id } = await identity().createCoreToken(made, service.internal);
    await identity().revokeCoreToken({ id }, as);
    return [id];
  },
  InviteUser: async (as) => {
    const asked = { tenantId, email: users.newEmail(), role: Role.VIEWER };
    return [(await users.client.inviteUser(asked, as)).invitationId];
  },
  AcceptInvitation: async (as) => {
    const by = { tokenHash: tokenHash(await users.invite(tenantId, Role.OWNER)) };
    const { totpSecret = "" } = await users.client.getInvitation(by, users.internal);
    const accepted = { ...by, name: "Ana", password: PASSWORD, code: users.codeOf(totpSecret) };
    const { sessionToken } = await users.client.acceptInvitation(accepted, as);
    return [(await users.sessionOf(sessionToken)).session?.user?.id];
  },
  "AcceptInvitation to a further tenant": async (as) => {
    const user = await joined();
    const { id } = await service.createTenant();
    const by = { tokenHash: tokenHash(await users.invite(id, Role.VIEWER, user.email)) };
    await users.client.acceptInvitation({ ...by, password: PASSWORD, code: users.nextCode(user.secret) }, as);
    return [user.id];
  },
  "AcceptInvitation of new secrets": async (as) => {
    const user = await joined();
    const { token } = await users.client.resetUser({ tenantId, userId: user.id }, users.internal);
    const by = { tokenHash: tokenHash(token) };
    const { totpSecret = "" } = await users.client.getInvitation(by, users.internal);
    const secrets = { password: "another staple of a correct horse", code: users.codeOf(totpSecret) };
    const { sessionToken } = await users.client.acceptInvitation({ ...by, ...secrets }, as);
    return [(await users.sessionOf(sessionToken)).session?.id];
  },
  SignIn: async (as) => {
    const { email, secret } = await joined();
    const asked = { email, password: PASSWORD, code: users.nextCode(secret), address: "192.0.2.9" };
    const { sessionToken } = await users.client.signIn(asked, as);
    return [(await users.sessionOf(sessionToken)).session?.id];
  },
  SignOut: async (as) => {
    const user = await joined();
    const id = await sessionId(user);
    await users.client.signOut(session(user), as);
    return [id];
  },
  SignOutEverywhere: async (as) => {
    const user = await joined();
    await users.client.signOutEverywhere(session(user), as);
    return [user.id];
  },
  RevokeSession: async (as) => {
    const user = await joined();
    const id = (await sessionId({ ...user, token: await users.signIn(user) })) ?? "";
    await users.client.revokeSession({ ...session(user), id }, as);
    return [id];
  },
  SwitchTenant: async (as) => {
    const user = await joined();
    const { id } = await service.createTenant();
    await users.joinAlso(user, id);
    await users.client.switchTenant({ ...session(user), tenantId: id }, as);
    return [await sessionId(user)];
  },
  ConfirmPassword: async (as) => {
    await users.client.confirmPassword({ ...session(await joined()), password: PASSWORD }, as);
    // It only counts the attempt.
    return [];
  },
  ChangePassword: async (as) => {
    const user = await joined();
    const newPassword = "another staple of a correct horse";
    await users.client.changePassword({ ...session(user), password: PASSWORD, newPassword }, as);
    return [user.id];
  },
  ChangeMemberRole: async (as) => {
    const [user] = [await joined(), await joined()];
    await users.client.changeMemberRole({ tenantId, userId: user.id, role: Role.VIEWER }, as);
    return [user.id];
  },
  RemoveMember: async (as) => {
    const user = await joined(Role.VIEWER);
    await users.client.removeMember({ tenantId, userId: user.id }, as);
    return [user.id];
  },
  RevokeInvitation: async (as) => {
    const asked = { tenantId, email: users.newEmail(), role: Role.VIEWER };
    const { invitationId: id } = await users.client.inviteUser(asked, users.internal);
    await users.client.revokeInvitation({ tenantId, id }, as);
    return [id];
  },
  ResetUser: async (as) => {
    const user = await joined();
    await users.client.resetUser({ tenantId, userId: user.id }, as);
    return [user.id];
  },
  RecordExport: async (as) => {
    const asked = { tenantId, mode: Mode.TEST, kind: ExportKind.PAYMENTS, format: "csv", rowCount: 1n };
    await client(AuditLogService).recordExport(asked, as);
    return [""];
  },
  CreateQuote: async (as) => {
    const { result } = await pricing().createQuote({ ...LINK, paymentMethod: PaymentMethod.PIX }, as);
    return [result.case === "quote" ? result.value.id : undefined];
  },
  "CreateQuote of each way to pay": async (as) => {
    const { result } = await pricing().createQuote(LINK, as);
    return [result.case === "scenarios" ? result.value.pix?.quoteId : undefined];
  },
  PutPricingRule: async (as) => {
    const rule = { tenantId, mode: Mode.TEST, paymentMethod: PaymentMethod.PIX, currency: "BRL" };
    return [(await pricing().putPricingRule({ ...rule, percentPpm: 9_900n }, as)).ruleId];
  },
  PublishFxRate: async (as) => [
    (await pricing().publishFxRate({ mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds: 60n }, as)).id,
  ],
  ReleaseFxRate: async (as) => {
    const id = newId("fxs");
    await rows.run(
      `INSERT INTO test.fx_held_rate SELECT 'default', $1, 6000000, 'ptax', '2026-03-02 13:10:20.1', 108000,
        '2026-03-02T16:10:20Z'::timestamptz + count(*) * interval '1 day', now(), 'fxs_last', 5000000
      FROM test.fx_held_rate`,
      [id],
    );
    return [(await pricing().releaseFxRate({ mode: Mode.TEST, id }, as)).id];
  },
  PutFxPolicy: async (as) => [
    (await pricing().putFxPolicy({ tenantId, mode: Mode.TEST, coveragePpm: 1000n }, as)).id,
  ],
  CreatePaymentIntent: async (as) => [
    (await merchant.ledger.createPaymentIntent(LINK, as)).paymentIntent?.id,
  ],
  PutBusinessDay: async (as) => {
    const day = { mode: Mode.TEST, day: "2031-01-02", isBusinessDay: false, reason: "storm" };
    await merchant.ledger.putBusinessDay(day, as);
    const [row] = await rows.read("SELECT id FROM test.business_day_override ORDER BY id DESC LIMIT 1");
    return [String(row?.["id"])];
  },
  SealDay: async (as) => {
    const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
    await merchant.pay();
    service.clock.advance(2 * 86_400);
    await merchant.ledger.sealDay({ day }, as);
    return [day];
  },
  ListSealedRows: async (as) => {
    const day = await sealedDay();
    await merchant.ledger.listSealedRows({ day }, as);
    return [day];
  },
  ListSealDeltas: async (as) => {
    const day = await sealedDay();
    await merchant.ledger.listSealDeltas({ day }, as);
    return [day];
  },
  CreatePaymentLink: async (as) => [(await merchant.links.createPaymentLink(LINK, as)).paymentLink?.id],
  AcceptQuote: async (as) => {
    const options = { headers: { ...merchant.as.headers, "idempotency-key": newId("req") } };
    const { result } = await pricing().createQuote({ ...LINK, paymentMethod: PaymentMethod.PIX }, options);
    const id = result.case === "quote" ? result.value.id : "";
    return [(await merchant.links.acceptQuote({ id, name: "Chair" }, as)).acceptedLink?.id];
  },
  SimulatePayment: async (as) => {
    const id = await merchant.newLink();
    await merchant.links.simulatePayment({ id, outcome: SimulatedOutcome.SUCCEEDED }, as);
    return [id];
  },
  CancelPaymentLink: async (as) => {
    const id = await merchant.newLink();
    await merchant.links.cancelPaymentLink({ id }, as);
    return [id];
  },
  OpenSession: async (as) => {
    const linkId = await merchant.newLink();
    const first = await checkout().openSession({ linkId }, as);
    const [row] = await rows.read("SELECT price_list_id AS id FROM test.checkout_session WHERE id = $1", [
      first.sessionId,
    ]);
    return [String(row?.["id"])];
  },
  StartPayment: async (as) => {
    const [, asked] = await newPayer();
    const { paymentId } = await checkout().startPayment({ ...asked, paymentMethod: PaymentMethod.PIX }, as);
    // The sandbox writes what a provider would.
    return [paymentId];
  },
  "StartPayment by a card that is approved": async (as) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_approved", installments: 1 };
    const { paymentId } = await checkout().startPayment({ ...asked, ...card }, as);
    return [paymentId, paymentId];
  },
  "StartPayment by a card that is declined": async (as) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_card_declined", installments: 1 };
    const { paymentId } = await checkout().startPayment({ ...asked, ...card }, as);
    return [paymentId, paymentId];
  },
  "StartPayment by a card with a challenge": async (as) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_challenge", installments: 1 };
    const { paymentId } = await checkout().startPayment({ ...asked, ...card }, as);
    return [paymentId, ""];
  },
  RefreshPayment: async (as) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await rows.run(
      "UPDATE test.sandbox_charge SET status = 'paid', paid_at = created_at WHERE reference = $1",
      [paymentId.replace("_", "")],
    );
    await checkout().refreshPayment(asked, as);
    return [paymentId];
  },
  SimulateProvider: async (as) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout().simulateProvider({ ...asked, action: SandboxAction.APPROVE }, as);
    return [paymentId];
  },
  "SimulateProvider with a refusal": async (as) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout().simulateProvider({ ...asked, action: SandboxAction.DECLINE }, as);
    return [paymentId];
  },
  "SimulateProvider with an expiry": async (as) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout().simulateProvider({ ...asked, action: SandboxAction.EXPIRE }, as);
    return [paymentId];
  },
  "RecordReceipt of the right amount": async (as) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const reference = paymentId.replace("_", "");
    const { amount } = LINK;
    await checkout().recordReceipt({ reference, amount, providerPaymentId: newId("req") }, as);
    return [paymentId];
  },
  RecordReceipt: async (as) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const reference = paymentId.replace("_", "");
    const { exceptionId } = await checkout().recordReceipt(
      { reference, amount: 1n, providerPaymentId: newId("req") },
      as,
    );
    return [exceptionId];
  },
  GetPayerDetails: async (as) => {
    const payer = new Payer(service, await merchant.newLink({ collect_fields: ["phone"] }));
    await payer.open();
    const { paymentId } = await payer.start({ payer: { phone: "11 91234-5678" } });
    await checkout().getPayerDetails({ paymentId }, as);
    return [paymentId];
  },
  CreateRefund: async (as) => {
    const { id } = (await merchant.pay()).body;
    return [(await client(RefundsService).createRefund({ id, amount: 1n }, as)).refund?.id];
  },
  RefundException: async (as) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const { exceptionId: id = "" } = await payer.receipt(paymentId.replace("_", ""), 1n);
    return [(await client(RefundsService).refundException({ id }, as)).refund?.id];
  },
  CreateWebhookEndpoint: async (as) => [
    (await merchant.webhooks.createWebhookEndpoint({ url: `${URL}?token=1` }, as)).endpoint?.id,
  ],
  UpdateWebhookEndpoint: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.updateWebhookEndpoint({ id, url: `${URL}/moved` }, as);
    return [id];
  },
  DisableWebhookEndpoint: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, as);
    return [id];
  },
  EnableWebhookEndpoint: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    await merchant.webhooks.enableWebhookEndpoint({ id }, as);
    return [id];
  },
  RotateWebhookSecret: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.rotateWebhookSecret({ id }, as);
    return [id];
  },
  DeleteWebhookEndpoint: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.deleteWebhookEndpoint({ id }, as);
    return [id];
  },
  ResendEvent: async (as) => {
    const { eventId: id, deliveryId } = await newDelivery();
    await merchant.webhooks.resendEvent({ id }, as);
    return [deliveryId];
  },
  ResendFailedEvents: async (as) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    await merchant.pay();
    await merchant.webhooks.enableWebhookEndpoint({ id }, merchant.as);
    await merchant.webhooks.resendFailedEvents({ endpointId: id, since: timestampFromMs(0) }, as);
    return [id];
  },
  "ResendDeliveries of several": async (as) => {
    const deliveryIds = [(await newDelivery()).deliveryId, (await newDelivery()).deliveryId];
    await merchant.webhooks.resendDeliveries({ deliveryIds }, as);
    return [""];
  },
  "ResendEvent to several endpoints": async (as) => {
    await Promise.all([newEndpoint(), newEndpoint()]);
    await merchant.pay();
    const { events } = await merchant.webhooks.listEvents(
      { type: "payment.succeeded", limit: 1 },
      merchant.as,
    );
    const id = events[0]?.id ?? "";
    await merchant.webhooks.resendEvent({ id }, as);
    return [id];
  },
  "ResendEvent to one endpoint": async (as) => {
    const { eventId: id, endpointId, deliveryId } = await newDelivery();
    await merchant.webhooks.resendEvent({ id, endpointId }, as);
    return [deliveryId];
  },
  ResendDeliveries: async (as) => {
    const { deliveryId } = await newDelivery();
    await merchant.webhooks.resendDeliveries({ deliveryIds: [deliveryId] }, as);
    return [deliveryId];
  },
  SendTestEvent: async (as) => {
    const endpointId = await newEndpoint();
    await merchant.webhooks.sendTestEvent({ endpointId }, as);
    return [endpointId];
  },
  PutProviderAccount: async (as) => [(await connected(as)).id],
  VerifyProviderAccount: async (as) => {
    const { id } = await connected();
    await client(ProvidersService).verifyProviderAccount({ id }, as);
    return [id];
  },
  RotateProviderAccount: async (as) => {
    const { id } = await connected();
    await client(ProvidersService).rotateProviderAccount({ id, config: configAt(bank) }, as);
    return [id];
  },
  RetireProviderAccount: async (as) => {
    const { id } = await connected();
    await client(ProvidersService).retireProviderAccount({ id }, as);
    return [id];
  },
  SweepProviderAccount: async (as) => {
    const { id } = await connected();
    await client(ProvidersService).sweepProviderAccount({ id }, as);
    return [id];
  },
  TakeCallback: async (as) => {
    const { id, secret } = await connected();
    await client(ProvidersService).verifyProviderAccount({ id, isRegistered: true }, merchant.as);
    const put = bank.bank.requests.findLast(({ text }) => text.includes("webhookUrl"));
    const { webhookUrl } = JSON.parse(put?.text ?? "") as { webhookUrl: string };
    const hmac = new global.URL(webhookUrl).searchParams.get("hmac") ?? "";
    await client(ProvidersService).takeCallback({ secret, hmac, body: Buffer.from("{}") }, as);
    return [id];
  },
  UploadMedia: async (as) => [
    (await client(MediaService).uploadMedia({ content: await png(), name: "x" }, as)).media?.id,
  ],
  HideMedia: async (as) => {
    const { id } = await new Uploader(service, merchant.tenant).upload(await png());
    await client(MediaService).hideMedia({ id }, as);
    return [id];
  },
};

/** The RPC of a scene: the first word of its title. */
function actionOf(title: string): string {
  return title.split(" ")[0] ?? "";
}

function hasEntries(method: DescMethod): boolean {
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return !isRead || getOption(method, methodRules).auditedRead !== AuditedRead.UNSPECIFIED;
}

/** The two kinds of callers whose every change is recorded. */
async function callers(): Promise<[kind: string, as: Options][]> {
  const { token } = await identity().createCoreToken(
    { name: "team", permissions: ["*:admin", "payers:read"] },
    service.internal,
  );
  const named = { headers: { ...merchant.as.headers, authorization: `Bearer ${token}` } };
  return [
    ["user", asUser(merchant.as)],
    ["core_token", named],
  ];
}

test("every RPC that changes something, or whose reading is recorded, has a scene", () => {
  const due = unaryMethods(CORE_SERVICES).filter(hasEntries);
  const acted = new Set(Object.keys(SCENES).map(actionOf));
  expect(due.map(({ name }) => name).toSorted()).toEqual([...acted].toSorted());
});

test.each(Object.entries(SCENES))(
  "%s has an entry for each change, by a user and by a token",
  async (title, scene) => {
    const name = actionOf(title);
    for (const [, as] of await callers()) {
      const requestId = newId("req");
      const headers = { ...as.headers, "paylink-request-id": requestId, "idempotency-key": newId("req") };
      const objects = await scene({ headers });
      const written = await rows.read(
        "SELECT action, object_id AS object FROM identity.audit_entry WHERE request_id = $1",
        [requestId],
      );
      const isByUser = as.headers["paylink-actor"] !== undefined;
      // A token may not show what only a person may, and a person's pages of sealed rows are one export.
      const isExport = name === "ListSealedRows" || name === "ListSealDeltas";
      const expected = isExport && isByUser ? [] : objects.map((object) => ({ action: name, object }));
      expect(
        written.toSorted((one, other) => (String(one["object"]) < String(other["object"]) ? 1 : -1)),
      ).toEqual(expected);
    }
  },
);
