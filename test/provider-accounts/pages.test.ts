import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { secondService } from "../support/service.ts";
import { connectMerchant, startLive } from "./live-merchant.ts";

const DEMO = "the bank here is not a real one";
const UNPAYABLE = "This link cannot be paid yet";

const live = await forFile(startLive());
const page = async (path: string) =>
  (await live.service.gateway.inject({ method: "GET", url: `/pay/${path}?lang=en` })).body;
const ownerOf = async ({ tenant }: Merchant) =>
  new ConsoleClient(live.service, await createUser(live.service, tenant.id, "owner"));
const ownersPage = async (merchant: Merchant, link: string) =>
  (await (await ownerOf(merchant)).get(`/console/live/links/${link}?lang=en`)).body;

test("a live link cannot be paid yet only while there is no account, and its pages say so", async () => {
  const merchant = await createMerchant(live.service, {}, "live");
  const link = await merchant.newLink();
  const landing = await page(link);
  expect(landing).toContain(UNPAYABLE);
  expect(landing).not.toContain("<form");
  expect(landing).not.toContain(DEMO);
  expect(await ownersPage(merchant, link)).toContain("Live links cannot be paid yet");
  const connected = await connectMerchant(live);
  const payable = await connected.newLink();
  expect(await page(payable)).toContain("<form");
  expect(await page(payable)).not.toContain(UNPAYABLE);
  expect(await ownersPage(connected, payable)).not.toContain("Live links cannot be paid yet");
  await live.providers.retireProviderAccount({ id: connected.accountId }, connected.as);
  expect(await page(payable)).toContain(UNPAYABLE);
});

test("a live link by a method without an account is made, and the pages of payer and console say that it cannot be paid yet", async () => {
  const merchant = await connectMerchant(live);
  const byCard = await merchant.newLink({ payment_methods: ["card"] });
  const landing = await page(byCard);
  expect(landing).toContain("This payment method is not available now");
  expect(landing).not.toContain("<form");
  const unpayable =
    "This link cannot be paid yet: no account is connected for its payment method, Credit card.";
  expect(await ownersPage(merchant, byCard)).toContain(unpayable);
  for (const methods of [["pix"], ["pix", "card"]]) {
    const payable = await merchant.newLink({ payment_methods: methods });
    expect(await ownersPage(merchant, payable)).not.toContain("This link cannot be paid yet");
  }
  const owner = await ownerOf(merchant);
  const importing = "/console/live/links/import?lang=en";
  const form = { form_token: await owner.formToken(importing), form_id: randomUUID() };
  const content = Buffer.from("amount,currency,payment_methods\n10.00,BRL,card\n10.00,BRL,pix\n");
  const { body } = await owner.upload(importing, form, {}, { name: "links.csv", content });
  expect(body.split(unpayable)).toHaveLength(2);
});

test("a payer's page says that the bank is a demo, for as long as the payment is that bank's", async () => {
  const merchant = await connectMerchant(live);
  const { payer, paymentId } = await merchant.start();
  const { linkId, isDemo } = await payer.page();
  expect(isDemo).toBe(true);
  expect(await page(linkId)).toContain(DEMO);
  const address = `${linkId}/${payer.sessionId}`;
  expect(await page(address)).toContain(DEMO);
  await live.providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
  expect(await page(linkId)).not.toContain(DEMO);
  expect(await page(address)).toContain(DEMO);
  expect(await merchant.status(paymentId)).toBe("pending");
});

test("a service that is no demo takes no payment by a demo bank's account", async () => {
  const merchant = await connectMerchant(live);
  const other = await secondService(live.service, { allowLoopbackProviders: false });
  const payer = new Payer(
    { ...live.service, ...other },
    await merchant.newLink({ payment_methods: ["pix"] }),
  );
  expect(await payer.page()).toMatchObject({ isUnconnected: true, isDemo: false });
  await expect(payer.open()).rejects.toThrow("pix is not offered here");
  await other.close();
});
