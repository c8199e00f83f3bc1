import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { cardToken, connectPagarme, KEYS, startPagarmeService } from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const live = await connectPagarme(cards);
const sandbox = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const REFUSED = { code: "card_refused_for_good", param: "card_token" };
const MASTERCARD = "5162306219378829";
const CAMPAIGN = { campaign: true };

const orderCount = () => pagarme.account(KEYS.secretKey).orders.size;
const statusOf = async (id: string) => (await live.read(id))["status"];

/** A payer in a session of their own, of a new link or of an earlier one. */
async function opened(merchant: Merchant, linkId?: string, link: object = {}) {
  const id = linkId ?? (await merchant.newLink({ payment_methods: ["card"], ...link }));
  const payer = new Payer(service, id);
  await payer.open();
  return { payer, linkId: id };
}

/** Pays at Pagar.me by a new token. A security code of "654" is refused for good as the code 54. */
const pay = async (payer: Payer, card: object = {}, number?: string) =>
  await live.paid(payer, 1, await cardToken(pagarme, number, card));

async function refusedOnce(link: object = {}) {
  const found = await opened(live, undefined, link);
  expect(await statusOf(await pay(found.payer, { cvv: "654" }))).toBe("failed");
  return found;
}

const again = async (linkId: string) => (await opened(live, linkId)).payer;
const keptOf = async (linkIds: string[]) =>
  await rows.read(
    "SELECT card_hash AS hash FROM live.refused_card WHERE link_id = ANY ($1) ORDER BY created_at",
    [linkIds],
  );

describe("a card that its issuer refused for good at Pagar.me", () => {
  test("is not sent again by a new token, in its session or another one, and another card is", async () => {
    const { payer, linkId } = await refusedOnce();
    const before = orderCount();
    expect(await refusalOf(pay(payer))).toMatchObject(REFUSED);
    const later = await again(linkId);
    expect(await refusalOf(pay(later))).toMatchObject(REFUSED);
    expect(await refusalOf(pay(later, { holder_name: "A SOUZA" }))).toMatchObject(REFUSED);
    expect(orderCount()).toBe(before);
    expect(await statusOf(await pay(later, {}, MASTERCARD))).toBe("succeeded");
  });

  test("may pay another link", async () => {
    await refusedOnce();
    const { payer } = await opened(live);
    expect(await statusOf(await pay(payer))).toBe("succeeded");
  });

  test("is not sent again for a campaign, however its holder's name is typed", async () => {
    const { payer, linkId } = await refusedOnce(CAMPAIGN);
    expect(await refusalOf(pay(payer, { holder_name: "Another Name" }))).toMatchObject(REFUSED);
    const later = await again(linkId);
    for (const name of ["ANA SOUZA", "ana  souza", "Aná Souza"]) {
      expect(await refusalOf(pay(later, { holder_name: name }))).toMatchObject(REFUSED);
    }
  });

  test("keeps no other payer of a campaign from a card with the same last digits", async () => {
    const { linkId } = await refusedOnce(CAMPAIGN);
    const other = await again(linkId);
    expect(await statusOf(await pay(other, { holder_name: "BRUNO LIMA" }))).toBe("succeeded");
  });

  test("is not sent again while Pagar.me does not say which card a token is of", async () => {
    const { linkId } = await refusedOnce();
    const payer = await again(linkId);
    const before = orderCount();
    pagarme.fail("readToken", { kind: "cut" });
    expect(await refusalOf(pay(payer))).toMatchObject({ code: "service_unavailable" });
    expect(orderCount()).toBe(before);
  });

  test("may be sent again if only that payment was refused", async () => {
    const { payer } = await opened(live);
    await pay(payer, { cvv: "651" });
    expect(await statusOf(await pay(payer))).toBe("succeeded");
  });

  test("is kept as a keyed hash of its link alone", async () => {
    const links = [await refusedOnce(), await refusedOnce(), await refusedOnce(CAMPAIGN)];
    const kept = (await keptOf(links.map(({ linkId }) => linkId))).map(({ hash }) => hash);
    expect(new Set(kept).size).toBe(4);
    for (const hash of kept) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await rows.count("live.charge WHERE card_token_hash IS NOT NULL")).toBe(0);
  });

  test("is forgotten when its link takes no payment any more, and after the tenant's retention", async () => {
    const [open, paid, campaign] = [await refusedOnce(), await refusedOnce(), await refusedOnce(CAMPAIGN)];
    await pay(paid.payer, {}, MASTERCARD);
    await service.core.tasks.removePast();
    const countOf = async ({ linkId }: { linkId: string }) => (await keptOf([linkId])).length;
    expect([await countOf(open), await countOf(paid), await countOf(campaign)]).toEqual([1, 0, 2]);
    service.clock.advance(86_401);
    await service.core.tasks.removePast();
    expect([await countOf(open), await countOf(campaign)]).toEqual([0, 2]);
    const identity = createClient(IdentityService, service.core.transport);
    await identity.updateTenant({ tenantId: live.tenant.id, payerRetentionDays: 1 }, service.internal);
    await service.core.tasks.removePast();
    expect(await countOf(campaign)).toBe(0);
  });
});

describe("a card of the sandbox that was refused for good", () => {
  test("is not taken again for its link, and another one is", async () => {
    const { payer, linkId } = await opened(sandbox);
    await payer.card("tok_expired_card");
    expect(await refusalOf(payer.card("tok_expired_card"))).toMatchObject(REFUSED);
    const later = (await opened(sandbox, linkId)).payer;
    expect(await refusalOf(later.card("tok_expired_card"))).toMatchObject(REFUSED);
    await later.card("tok_approved");
    expect((await later.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test("is taken again for a campaign by another payer, as all test payers share its cards", async () => {
    const { payer, linkId } = await opened(sandbox, undefined, CAMPAIGN);
    await payer.card("tok_expired_card");
    expect(await refusalOf(payer.card("tok_expired_card"))).toMatchObject(REFUSED);
    const other = (await opened(sandbox, linkId)).payer;
    await other.card("tok_expired_card");
    expect((await other.session()).payment?.status).toBe(PaymentStatus.FAILED);
  });

  test("may be tried again if only this payment was refused", async () => {
    const { payer } = await opened(sandbox);
    await payer.card("tok_insufficient_funds");
    const first = (await payer.session()).payment?.id;
    const { paymentId } = await payer.card("tok_insufficient_funds");
    expect(paymentId).not.toBe(first);
  });
});
