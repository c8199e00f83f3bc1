import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import {
  cardToken,
  connectPagarme,
  FULL_PERSON,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme } = cards;
const merchant = await connectPagarme(cards);

async function paidBy(document: string): Promise<string> {
  const payer = await merchant.opened();
  const details = { ...FULL_PERSON, name: "Loja Exemplo Ltda.", document };
  return (await payer.card(await cardToken(pagarme), 1, { payer: details })).paymentId;
}

const asked = () => pagarme.requests.filter(({ call }) => call === "createOrder");

test.each([
  ["a person", "529.982.247-25", { type: "individual", document_type: "CPF", document: "52998224725" }],
  ["a company", "11.222.333/0001-81", { type: "company", document_type: "CNPJ", document: "11222333000181" }],
  [
    "a company with letters",
    "12.abc.345/01de-35",
    { type: "company", document_type: "CNPJ", document: "12ABC34501DE35" },
  ],
])("%s pays, and Pagar.me has the customer as one", async (_, document, customer) => {
  const id = await paidBy(document);
  expect(await merchant.read(id)).toMatchObject({ status: "succeeded" });
  expect(JSON.parse(asked().at(-1)?.text ?? "")).toMatchObject({ code: referenceOf(id), customer });
});

test("a company's wrong check digit is refused before an order is asked for", async () => {
  const before = asked().length;
  expect(await refusalOf(paidBy("11.222.333/0001-82"))).toMatchObject({
    code: "invalid_request",
    param: "document",
  });
  expect(asked()).toHaveLength(before);
});
