import { expect, test } from "vitest";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../contract/ids.ts";
import { createClient } from "@connectrpc/connect";
import { asUser, auditEntriesBy } from "../support/audit.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const { ACTIVE, CANCELED } = PaymentLinkStatus;
const LATER = 9_999_999_999n;

const service = await forFile(startService());
const merchant = await createMerchant(service);
const { links, as } = merchant;

const read = async (id: string) => (await links.getPaymentLink({ id }, as)).paymentLink;
const update = async (id: string, change: object) => await links.updatePaymentLink({ id, ...change }, as);
const given = {
  reference: "order-1",
  description: "Shoes",
  product_ref: "SKU-1",
  details: "Brown",
  product_images: ["https://img.example.test/1"],
  metadata: { order: 1 },
};
const others = {
  reference: "order-2",
  description: "Boots",
  productRef: "SKU-2",
  details: "Black",
  productImages: { values: ["https://img.example.test/2", "https://img.example.test/3"] },
  metadata: { order: { nested: [2] } },
};
const nothing = { reference: "", description: "", productRef: "", details: "" };

test("an update changes what it names, and nothing that a price is made of", async () => {
  const id = await merchant.newLink(given);
  const before = await read(id);
  await update(id, { description: "Boots" });
  expect(await read(id)).toEqual({ ...before, description: "Boots" });
  const { paymentLink } = await update(id, others);
  const { productImages, ...rest } = others;
  expect(await read(id)).toEqual({ ...before, ...rest, productImages: productImages.values });
  expect(paymentLink).toEqual(await read(id));
  await update(id, { ...nothing, productImages: { values: [] }, metadata: {} });
  const empty = { reference: undefined, description: undefined, productRef: undefined, details: undefined };
  expect(await read(id)).toEqual({ ...before, ...empty, productImages: [], metadata: {} });
});

test("its entry in the audit log has the new values and the former ones, of what changed alone", async () => {
  const id = await merchant.newLink(given);
  const change = { id, reference: "order-1", description: "Boots", expiresIn: 0n };
  const entries = await auditEntriesBy(service, merchant.tenant.id, async () => {
    await links.updatePaymentLink(change, asUser(as));
    await links.updatePaymentLink(change, asUser(as));
  });
  expect(entries.map(({ action, objectId }) => [action, objectId])).toEqual([["UpdatePaymentLink", id]]);
  expect(entries[0]?.details).toMatchObject({ description: "Boots", expires_in: "0" });
  expect(entries[0]?.details?.["before"]).toEqual({
    description: "Shoes",
    // The link was made a moment ago.
    expires_at: expect.closeTo(Math.floor(service.clock.nowMs() / 1000) + 86_400, -1),
  });
});

test("texts and metadata are held to the limits of a new link", async () => {
  const id = await merchant.newLink(given);
  const card = "4111 1111 1111 1111";
  const refused: [change: object, code: string, param: string][] = [
    [{ metadata: { svc_a: 1 } }, "reserved_metadata_key", "svc_a"],
    [{ metadata: { a: card } }, "invalid_request", "metadata"],
    [{ description: card }, "invalid_request", "description"],
    [{ productImages: { values: [card] } }, "invalid_request", "product_images"],
    [{ description: "a".repeat(501) }, "invalid_request", "description"],
    [{ expiresIn: -1n }, "invalid_request", "expires_in"],
  ];
  for (const [change, code, param] of refused)
    expect(await refusalOf(update(id, change))).toMatchObject({ code, param });
  expect(await codeOf(update(newId("pl"), {}))).toBe("payment_link_not_found");
});

test("a link of a quote shows only pictures that were uploaded here", async () => {
  const pricing = createClient(PricingService, service.core.transport);
  const keyed = () => ({ headers: { ...as.headers, "idempotency-key": newId("req") } });
  const sale = { amount: 15_990n, currency: "BRL", paymentMethod: PaymentMethod.PIX };
  const { result } = await pricing.createQuote(sale, keyed());
  const quoteId = result.case === "quote" ? result.value.id : "";
  const { acceptedLink } = await links.acceptQuote({ id: quoteId, name: "Shoes" }, keyed());
  const productImages = { values: ["https://img.example.test/1"] };
  expect(await refusalOf(update(acceptedLink?.id ?? "", { productImages }))).toMatchObject({
    param: "product_images",
  });
});

test("a canceled link can be changed and opened again, and is paid then", async () => {
  const id = await merchant.newLink(given);
  await links.cancelPaymentLink({ id }, as);
  expect((await merchant.simulate(id)).status).toBe(400);
  const { paymentLink } = await update(id, { description: "Boots" });
  expect([paymentLink?.status, paymentLink?.description]).toEqual([CANCELED, "Boots"]);
  const opened = await links.reactivatePaymentLink({ id }, as);
  expect(opened.paymentLink).toEqual(await read(id));
  expect(opened.paymentLink?.status).toBe(ACTIVE);
  expect((await links.reactivatePaymentLink({ id }, as)).paymentLink).toEqual(opened.paymentLink);
  expect((await merchant.simulate(id)).status).toBe(200);
});

test("a canceled link whose time is over needs a later end first", async () => {
  const id = await merchant.newLink({ expires_in: 60 });
  await links.cancelPaymentLink({ id }, as);
  service.clock.advance(61);
  expect(await codeOf(links.reactivatePaymentLink({ id }, as))).toBe("invalid_request");
  await update(id, { expiresIn: 60n });
  expect((await links.reactivatePaymentLink({ id }, as)).paymentLink?.status).toBe(ACTIVE);
});

test("a completed link and an expired one stay as they are", async () => {
  const paid = await merchant.newLink();
  await merchant.simulate(paid);
  const past = await merchant.newLink({ expires_in: 60 });
  service.clock.advance(61);
  for (const id of [paid, past]) {
    expect(await codeOf(update(id, { description: "Boots" }))).toBe("invalid_request");
    expect(await codeOf(update(id, { expiresIn: LATER }))).toBe("invalid_request");
    expect(await codeOf(links.reactivatePaymentLink({ id }, as))).toBe("invalid_request");
  }
});

test("the end comes no earlier while a payment is in progress, and later at any time", async () => {
  const id = await merchant.newLink();
  const payer = new Payer(service, id);
  await payer.open();
  await update(id, { expiresIn: 7200n });
  await payer.start();
  expect(await refusalOf(update(id, { expiresIn: 60n }))).toMatchObject({ param: "expires_in" });
  await update(id, { expiresIn: LATER });
  await update(id, { expiresIn: 0n });
  expect(await refusalOf(update(id, { expiresIn: LATER }))).toMatchObject({ param: "expires_in" });
  expect((await read(id))?.expiresAt?.seconds).toBe(0n);
});

test("a payment keeps the reference and metadata that it was started with", async () => {
  const id = await merchant.newLink({ ...given, campaign: true });
  const first = await merchant.simulate(id);
  await update(id, others);
  const again = await merchant.api.get(`/v1/payments/${first.body.id}`);
  expect(again.body).toEqual(first.body);
  expect((await merchant.simulate(id)).body).toMatchObject({
    reference: "order-2",
    metadata: others.metadata,
  });
});
