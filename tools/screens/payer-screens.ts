import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fillPerson } from "../../test/live-cards/browser/card-form.ts";
import type { PayerPage } from "../../test/support/browser.ts";
import { createMerchant, type Merchant } from "../../test/support/merchant.ts";
import { Payer } from "../../test/support/payer.ts";
import type { TestService } from "../../test/support/service.ts";
import type { Screen } from "./screen.ts";
import type { TypedCards } from "./typed-cards.ts";
import type { LiveMoney } from "./live-money.ts";
import type { Sales } from "./sales.ts";
import { PRODUCT } from "./texts.ts";

const MINUTES_15_SECONDS = 901;
const LARGE = { ...PRODUCT, amount: 999_999_999 };

/** What the payer's pages are made of. */
interface Sold {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly sales: Sales;
  readonly live: LiveMoney;
  /** A gateway that opens no further session, and one whose core does not answer. */
  readonly elsewhere: { readonly busyUrl: string; readonly brokenUrl: string };
  readonly cards: TypedCards;
}

/** Returns every page of the payer in every state, most of a link of its own. */
export async function payerScreens({
  service,
  merchant,
  sales,
  live,
  elsewhere,
  cards,
}: Sold): Promise<Screen[]> {
  const payerOn = async (link: object = {}): Promise<{ payer: Payer; at: string }> => {
    const id = await merchant.newLink({ ...LARGE, ...link });
    const payer = new Payer(service, id);
    const { id: session } = await payer.open();
    return { payer, at: `/pay/${id}/${session}` };
  };
  const pixOf = async (then?: SandboxAction): Promise<string> => {
    const { payer, at } = await payerOn();
    await payer.start();
    if (then !== undefined) await payer.simulate(then);
    return at;
  };
  const cardOf = async (token: string, installments = 12): Promise<string> => {
    const { payer, at } = await payerOn();
    await payer.card(token, installments);
    return at;
  };
  // These were opened a while ago.
  const over = await pixOf();
  const sessionOver = (await payerOn()).at;
  service.clock.advance(MINUTES_15_SECONDS);

  const asked = (await payerOn({ collect_fields: ["phone", "address"] })).at;
  const passed = (await payerOn({ fee_handling: "pass_through" })).at;
  const campaign = new Payer(service, sales.links.campaign);
  await campaign.payByPix();
  const wrong = await payerOn();
  const { paymentId } = await wrong.payer.start();
  await wrong.payer.receipt(paymentId.replace("_", ""), 15_989n);
  const typed = await cards.open("alone");
  const challenge = await cardOf("tok_challenge");
  const { link: redirect } = await atProvider(service, live.linkId);
  const pixOnly = await merchant.newLink({ ...LARGE, payment_methods: ["pix"] });
  const dollars = await merchant.newLink({ ...PRODUCT, amount: 1_234_567, currency: "USD" });
  const unconnected = await (await createMerchant(service, {}, "live")).newLink(PRODUCT);

  const addresses: Record<string, string> = {
    "first-page": `/pay/${sales.links.open}`,
    "first-page-of-unbroken-words": `/pay/${sales.links.unbroken}`,
    "first-page-pix-alone": `/pay/${pixOnly}`,
    "first-page-in-dollars": `/pay/${dollars}`,
    "first-page-live": `/pay/${live.linkId}`,
    "first-page-not-connected": `/pay/${unconnected}`,
    "all-options": `${asked}?choose=1`,
    installments: `${asked}?choose=card`,
    "installments-with-fee": `${passed}?choose=card`,
    "pix-chosen": `${asked}?way=pix-1`,
    "pix-with-fee": `${passed}?way=pix-1`,
    card: `${asked}?way=card-12`,
    "card-with-fee": `${passed}?way=card-12`,
    "pix-code": await pixOf(),
    "pix-code-over": over,
    "pix-code-expired": await pixOf(SandboxAction.EXPIRE),
    "pix-paid-twice": await pixTwice(service, merchant),
    "pix-refused": await pixOf(SandboxAction.DECLINE),
    "pix-wrong-amount": wrong.at,
    transfer: await transfer(service, merchant),
    "card-refused": await cardOf("tok_insufficient_funds"),
    "card-3-d-secure": challenge,
    "card-3-d-secure-issuer": `${challenge}/challenge`,
    "card-at-provider": redirect,
    "card-typed": typed,
    "card-typed-beside-pix": await cards.open("besidePix"),
    "paid-pix": await pixOf(SandboxAction.APPROVE),
    "paid-card": await cardOf("tok_approved"),
    "paid-campaign": `/pay/${sales.links.campaign}/${campaign.sessionId}`,
    "session-over": sessionOver,
    "link-paid": `/pay/${sales.links.paid}`,
    "link-expired": `/pay/${sales.links.expired}`,
    "link-deactivated": `/pay/${sales.links.cancelled}`,
    "not-found": "/pay/pl_01jd0000000000000000000000",
    error: `${elsewhere.brokenUrl}/pay/${sales.links.open}`,
  };
  const busyAt = `${elsewhere.busyUrl}/pay/${pixOnly}`;
  const acts: readonly (readonly [string, string, (page: PayerPage) => Promise<void>])[] = [
    ["wrong-fields", `${asked}?way=pix-1`, async (page) => await page.press()],
    ["form-refused", `${asked}?way=pix-1`, sendTooMuch],
    ["first-page-summary-closed", `/pay/${sales.links.open}`, toggleSummary],
    ["pix-code-summary-open", addresses["pix-code"] ?? "", toggleSummary],
    [
      "too-many",
      busyAt,
      async (page) => {
        // It has no session to give any more.
        await fetch(`${busyAt}/sessions`, {
          method: "POST",
          body: new URLSearchParams(),
          redirect: "manual",
        });
        await page.press();
      },
    ],
  ];
  return [
    ...Object.entries(addresses).map(([name, address]) => screenOf(name, address)),
    ...acts.map(([name, address, act]) => ({ ...screenOf(name, address), act })),
    { ...screenOf("wrong-card", `${passed}?way=card-12`), act: sendNoCard, isScripted: true },
    { ...screenOf("card-typed-wrong", typed), act: sendWrongCard, isScripted: true },
  ];
}

function screenOf(name: string, address: string): Screen {
  return { name: `payer/${name}`, who: "payer", address };
}

/** The script itself says what is wrong with a card. */
async function sendNoCard({ page }: PayerPage): Promise<void> {
  for (const name of ["number", "holder", "expiry", "cvv"])
    await page.fill(`#card_${name}`, "1", { timeout: 5000 });
  await page.click("main button.primary");
  await page.locator("#card_number_problem").waitFor();
}

/** The same at a provider that must know who pays. */
async function sendWrongCard(page: PayerPage): Promise<void> {
  await fillPerson(page);
  await sendNoCard(page);
}

/** Sends more than a form may hold. */
async function sendTooMuch(page: PayerPage): Promise<void> {
  await page.page.evaluate("document.querySelector('#phone').removeAttribute('maxlength')");
  await page.page.fill("#phone", "1".repeat(20_000));
  await page.press();
}

/** A code that was paid twice. */
async function pixTwice(service: TestService, merchant: Merchant): Promise<string> {
  const amount = 15_990;
  const linkId = await merchant.newLink({ ...PRODUCT, amount });
  const payer = new Payer(service, linkId);
  const reference = (await payer.payByPix()).replace("_", "");
  await payer.receipt(reference, BigInt(amount), `second-${reference}`);
  return `/pay/${linkId}/${payer.sessionId}`;
}

async function toggleSummary(page: PayerPage): Promise<void> {
  await page.page.click(".summary > summary");
}

/** A card payment in live mode that waits on the provider's own page. */
async function atProvider(service: TestService, linkId: string): Promise<{ link: string }> {
  const payer = new Payer(service, linkId);
  await payer.open();
  const person = { name: "Ana Souza", document: "529.982.247-25" };
  await payer.start({ paymentMethod: PaymentMethod.CARD, installments: 3, payer: person });
  return { link: `/pay/${linkId}/${payer.sessionId}` };
}

/** A bank transfer that waits for its money. */
async function transfer(service: TestService, { api }: Merchant): Promise<string> {
  const quote = await api.post("/v1/quotes", { amount: 50_000, currency: "BRL", payment_method: "ted" });
  const { body } = await api.post(`/v1/quotes/${quote.body.id}/accept`, { name: PRODUCT.description });
  const payer = new Payer(service, body.id);
  await payer.open();
  await payer.start({ paymentMethod: PaymentMethod.TED });
  return `/pay/${body.id}/${payer.sessionId}`;
}
