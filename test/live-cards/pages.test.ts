import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { connectCards, pass, PERSON, startCards, type CardMerchant } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant: CardMerchant = await connectCards(cards);

const get = async (url: string) => await service.gateway.inject({ url });
const submit = async (url: string, form: Record<string, string>) => {
  const { headers } = await post(url, form);
  const cookie = String(headers["set-cookie"]).split(";")[0];
  return await service.gateway.inject({ url: String(headers.location), headers: { cookie } });
};
const post = async (url: string, form: Record<string, string> = {}) =>
  await service.gateway.inject({
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams(form).toString(),
  });

/** Returns the path of a new session of a new link. */
async function opened(link: object = {}): Promise<string> {
  const id = await merchant.newLink({
    amount: 100_000,
    payment_methods: ["card"],
    max_installments: 21,
    ...link,
  });
  return String((await post(`/pay/${id}/sessions`)).headers.location);
}

const addressIn = (html: string): string => /href="(http:\/\/127[^"]+\/i\/[^"]+)"/.exec(html)?.[1] ?? "";
const idOf = (address: string): string => `pay_${address.split("/i/")[1] ?? ""}`;

describe("the pages of a card on its provider's own page", () => {
  test("ask once who pays, in fields of their own, and take no card", async () => {
    const session = await opened();
    const { body } = await get(`${session}?way=card-1`);
    expect(body).toContain('name="name"');
    expect(body).toContain('name="document"');
    expect(body).not.toContain('name="email"');
    expect(body).not.toContain("card_token");
    expect(body).toContain("nunca aqui");
    expect(body).not.toContain("Visa");
    expect((await get(`${session}?way=card-21`)).body).toContain("Visa, Mastercard");
  });

  test("say which field is wrong, keep what was typed, and make nothing", async () => {
    const session = await opened();
    const before = asaas.requests.length;
    const form = { way: "card-1", name: PERSON.name, document: "529.982.247-26" };
    const { body } = await submit(`${session}/payments`, form);
    expect(body).toContain('id="document_problem"');
    expect(body).toContain(PERSON.name);
    expect(asaas.requests).toHaveLength(before);
  });

  test("lead to the provider, and show that it is paid when the payer is back", async () => {
    const session = await opened();
    const answer = await post(`${session}/payments`, { way: "card-21", ...PERSON });
    expect(answer.statusCode).toBe(303);
    const waiting = (await get(session)).body;
    const address = addressIn(waiting);
    expect((await fetch(address)).status).toBe(200);
    expect(waiting).toContain("Pague na página segura");
    asaas.pay(idOf(address));
    await post(`${session}/refresh`);
    expect((await get(session)).body).toContain("Pagamento confirmado");
  });

  test("say that a card is under review, and that the merchant will tell", async () => {
    const session = await opened();
    await post(`${session}/payments`, { way: "card-2", ...PERSON });
    asaas.pay(idOf(addressIn((await get(session)).body)), { status: "AWAITING_RISK_ANALYSIS" });
    await post(`${session}/refresh`);
    const { body } = await get(session);
    expect(body).toContain("Pagamento em análise");
    expect(body).toContain("informará você do resultado");
    expect((await get(`${session}/status`)).body).toContain("review");
  });

  test("let a payer choose another number of installments, and withdraw the former page first", async () => {
    const session = await opened();
    await post(`${session}/payments`, { way: "card-3", ...PERSON });
    const former = addressIn((await get(session)).body);
    expect((await get(`${session}?choose=1`)).body).toContain("card-2");
    expect((await post(`${session}/payments`, { way: "card-2", ...PERSON })).statusCode).toBe(303);
    expect(asaas.payment(idOf(former)).isDeleted).toBe(true);
    const address = addressIn((await get(session)).body);
    expect(address).not.toBe(former);
    asaas.pay(idOf(address));
    await post(`${session}/refresh`);
    expect((await get(session)).body).toContain("Pagamento confirmado");
  });

  test("keep a payment that was paid while the payer chose anew", async () => {
    const session = await opened();
    await post(`${session}/payments`, { way: "card-3", ...PERSON });
    const former = addressIn((await get(session)).body);
    asaas.pay(idOf(former));
    await post(`${session}/payments`, { way: "card-2", ...PERSON });
    expect((await get(session)).body).toContain("Pagamento confirmado");
    expect(asaas.payment(idOf(former)).isDeleted).toBe(false);
  });

  test("case 14: show to a payer who is back after the session's end what became of it", async () => {
    const [paid, abandoned] = [await opened(), await opened()];
    for (const session of [paid, abandoned]) {
      await post(`${session}/payments`, { way: "card-3", ...PERSON });
    }
    await pass(cards, 880);
    asaas.pay(idOf(addressIn((await get(paid)).body)));
    await pass(cards, 120);
    expect((await get(paid)).body).toContain("Pagamento confirmado");
    const { body } = await get(abandoned);
    expect(body).not.toContain("Pagamento confirmado");
    expect(addressIn(body)).toBe("");
  });

  test("case 14: say above 12 installments which brands take them, and Asaas takes no other brand", async () => {
    const session = await opened();
    expect((await get(`${session}?way=card-12`)).body).not.toContain("Visa, Mastercard");
    await post(`${session}/payments`, { way: "card-13", ...PERSON });
    const address = addressIn((await get(session)).body);
    const body = new URLSearchParams({ number: "6362970000457013", outcome: "paid" });
    expect(await (await fetch(address, { method: "POST", body })).text()).toContain("não aceita tantas");
    await post(`${session}/refresh`);
    expect(addressIn((await get(session)).body)).toBe(address);
  });

  test("prepare the way while the provider does not answer", async () => {
    asaas.fail("createPayment", { kind: "cut" });
    const session = await opened();
    await post(`${session}/payments`, { way: "card-1", ...PERSON });
    expect((await get(session)).body).toContain("está sendo preparada");
    service.faults.splice(0);
    await pass(cards, 3);
    expect(addressIn((await get(session)).body)).not.toBe("");
  });
});
