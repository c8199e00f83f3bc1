import { expect, test } from "vitest";
import { PayerField } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import {
  cardToken,
  connectPagarme,
  FULL_PERSON,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);

const OTHER = { ...FULL_PERSON, name: "Bia Lima", document: "111.444.777-35" };
const ALL = ["NAME", "EMAIL", "DOCUMENT", "PHONE", "ADDRESS"] as const;
const DECLINED = { cvv: "651" };

const customerOf = (paymentId: string) => {
  const { id: _id, ...customer } = pagarme.ordersOf(referenceOf(paymentId))[0]?.customer ?? { id: "" };
  return customer;
};

/** Starts a payment by a new token. Without `person` the request has no details. */
async function pay(payer: Payer, card: object, person?: object): Promise<string> {
  const token = await cardToken(pagarme, undefined, card);
  return (await payer.card(token, 1, person && { payer: person })).paymentId;
}

test("a second attempt without details has those of the first one, at the provider and in its own row", async () => {
  const payer = await merchant.opened();
  const declined = await pay(payer, DECLINED, FULL_PERSON);
  const { givenFields } = await payer.session();
  expect(givenFields).toEqual(ALL.map((field) => PayerField[field]));
  const paid = await pay(payer, {});
  expect(await merchant.read(paid)).toMatchObject({ status: "succeeded" });
  expect(paid).not.toBe(declined);
  expect(customerOf(paid)).toMatchObject({ name: FULL_PERSON.name, email: FULL_PERSON.email });
  expect(customerOf(paid)).toEqual(customerOf(declined));
  const detailsOf = async (paymentId: string) =>
    (await payer.client.getPayerDetails({ paymentId }, merchant.as)).payer;
  expect(await detailsOf(paid)).toEqual(await detailsOf(declined));
});

test("others that a later attempt gives are used from then on", async () => {
  const payer = await merchant.opened();
  await pay(payer, DECLINED, FULL_PERSON);
  const other = await pay(payer, DECLINED, OTHER);
  const paid = await pay(payer, {});
  expect(customerOf(paid)).toMatchObject({ name: OTHER.name, document: "11144477735" });
  expect(customerOf(paid)).toEqual(customerOf(other));
});

test("details with an empty field are refused, though earlier ones are enough", async () => {
  const payer = await merchant.opened();
  await pay(payer, DECLINED, FULL_PERSON);
  const start = pay(payer, {}, { ...FULL_PERSON, name: "" });
  expect(await refusalOf(start)).toMatchObject({ code: "invalid_request", param: "name" });
});

test("another session of the link knows none of them", async () => {
  const linkId = await merchant.newLink({ payment_methods: ["card"], max_installments: 1 });
  const [one, other] = [new Payer(service, linkId), new Payer(service, linkId)];
  for (const payer of [one, other]) await payer.open();
  await pay(one, DECLINED, FULL_PERSON);
  expect((await other.session()).givenFields).toEqual([]);
  expect(await refusalOf(pay(other, {}))).toMatchObject({ code: "invalid_request", param: "name" });
});
