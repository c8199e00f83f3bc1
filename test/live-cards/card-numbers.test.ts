import { afterAll, expect, test } from "vitest";
import { Canaries } from "../support/canaries.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startProcess } from "../support/process.ts";
import { API_KEY, CALLBACK_TOKEN, connectCards, PERSON, startCards } from "./card-merchant.ts";
import { CardNumbers } from "./canary-cards.ts";

const FORM = { way: "card-2", ...PERSON };
const ADDRESS = {
  phone: "+55 11 98765-4321",
  postal_code: "01310-100",
  street: "Avenida Paulista",
  number: "1000",
  complement: "",
  district: "Bela Vista",
  city: "São Paulo",
  state: "SP",
};
const HEADERS = [
  "user-agent",
  "cookie",
  "referer",
  "x-request-id",
  "x-forwarded-for",
  "traceparent",
  "accept-language",
  "client-cert",
  "asaas-access-token",
  "idempotency-key",
];

const canaries = new CardNumbers();
const card = (place: string): string => canaries.card(place);
/** What may be shown to its payer, and is neither logged nor stored as it is. */
const secrets = new Canaries();
const answers: string[] = [];

const cards = await forFile(startCards());
const merchant = await connectCards(cards);
const rows = await forFile(new DatabaseRows(cards.service.databaseUrl).open());
const folder = await makeDataFolder();
const { remove } = folder;
afterAll(async () => await remove());
// The process has the time of the machine.
cards.asaas.clock.set(new Date());
const service = await startProcess(folder.path, {
  DATABASE_URL: cards.service.databaseUrl,
  DATA_KEY: DATA_KEY.toString("base64"),
  CORE_TOKEN,
  PAYLINK_SEED: "none",
  PROVIDER_ALLOW_LOOPBACK: "true",
  LOG_LEVEL: "trace",
});
afterAll(async () => await service.end("SIGKILL"));

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(service.baseUrl + path, { redirect: "manual", ...init });
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  answers.push(`${headers.join("\n")}\n${await answer.clone().text()}`);
  return answer;
}

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  await send(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${merchant.tenant.liveKey}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
      ...headers,
    },
  });

async function sendForm(path: string, form: Record<string, string>): Promise<Response> {
  return await send(path, { method: "POST", body: new URLSearchParams(form) });
}

/** Opens a session of a link that asks for all that a link may ask for. Returns its page's path. */
async function opened(): Promise<string> {
  const link = {
    amount: 100_000,
    currency: "BRL",
    payment_methods: ["card"],
    max_installments: 21,
    collect_fields: ["phone", "address"],
  };
  const { id } = (await (await post("/v1/payment_links", link)).json()) as { id: string };
  return (await sendForm(`/pay/${id}/sessions`, {})).headers.get("location") ?? "";
}

test("case 15: no card number is sent, stored, logged or answered, and no secret or payer's data is logged", async () => {
  const session = await opened();
  // What a payer types, in each field of our page and in one that it has not.
  for (const field of [
    ...Object.keys({ ...FORM, ...ADDRESS }),
    "email",
    "card_token",
    "acknowledged_total",
    "card_number",
  ]) {
    const typed = card(`form field ${field}`);
    const { status } = await sendForm(`${session}/payments`, { ...FORM, ...ADDRESS, [field]: typed });
    expect([field, status]).not.toEqual([field, 200]);
  }
  const link = session.split("/").slice(0, 3).join("/");
  for (const path of [
    `${session}?way=`,
    `${session}?choose=1&x=`,
    `${link}?number=`,
    "/pay/",
    `${link}/`,
    "/v1/payments?from=",
  ]) {
    const authorization = `Bearer ${merchant.tenant.liveKey}`;
    await send(`${path}${card(`address ${path}`)}`, { headers: { authorization } });
  }

  // What a merchant sends.
  const own = { amount: 100_000, currency: "BRL" };
  for (const field of ["description", "details"]) {
    expect([field, (await post("/v1/payment_links", { ...own, [field]: card(field) })).status]).toEqual([
      field,
      400,
    ]);
  }
  for (const metadata of [
    { note: card("metadata value") },
    { [card("metadata key")]: "x" },
    { deep: { list: [`no. ${card("metadata list")}.`] } },
    { number: Number(card("metadata number")) },
  ]) {
    expect((await post("/v1/payment_links", { ...own, metadata })).status).toBe(400);
    expect((await post("/v1/payment_intents", { ...own, metadata })).status).toBe(400);
  }
  const quote = await post("/v1/quotes", { ...own, payment_method: "card", installments: 2 });
  const { id: quoteId } = (await quote.json()) as { id: string };
  for (const field of ["name", "description"]) {
    const accepted = { name: "Boat", [field]: card(`accepted ${field}`) };
    expect((await post(`/v1/quotes/${quoteId}/accept`, accepted)).status).toBe(400);
  }
  const legacy = { ...own, fee_strategy: { note: card("fee strategy") } };
  expect((await post("/v1/payment_intents", legacy)).status).toBe(400);
  for (const header of HEADERS) await post("/v1/payment_links", own, { [header]: card(`header ${header}`) });

  const key = { "idempotency-key": card("repeated key") };
  const [first, again] = [
    await post("/v1/payment_links", own, key),
    await post("/v1/payment_links", own, key),
  ];
  expect([first.status, await again.text()]).toEqual([201, await first.text()]);

  // What comes as a callback, proven and not.
  const callback = { id: "pay_1", externalReference: card("callback's reference") };
  const told = {
    id: `evt_${card("callback's id")}`,
    payment: { ...callback, creditCard: { creditCardNumber: card("callback's card") } },
  };
  for (const token of [CALLBACK_TOKEN, card("callback's token")]) {
    await post(`${merchant.path}?a=${card("callback's query")}`, told, { "asaas-access-token": token });
  }
  await post(
    merchant.path,
    { payment: { id: `pay_${card("callback's payment")}` } },
    { "asaas-access-token": CALLBACK_TOKEN },
  );

  // What the payer types at Asaas.
  expect((await sendForm(`${session}/payments`, { ...FORM, ...ADDRESS })).status).toBe(303);
  const { asaas } = cards;
  const pageOf = async (): Promise<string> => {
    const html = await (await send(session)).text();
    return /href="(http:\/\/127[^"]+\/i\/[^"]+)"/.exec(html)?.[1] ?? "";
  };
  await expect.poll(pageOf, { timeout: 15_000 }).not.toBe("");
  const typed = card("the page of Asaas");
  const body = new URLSearchParams({
    number: typed,
    holder: PERSON.name,
    expiry: "12/30",
    ccv: "123",
    outcome: "paid",
  });
  expect((await fetch(await pageOf(), { method: "POST", body, redirect: "manual" })).status).toBe(303);
  await sendForm(`${session}/refresh`, {});
  expect(await (await send(session)).text()).toContain("Pagamento confirmado");

  const asked = asaas.requests.filter(({ call }) => call !== "payInvoice");
  expect(asked.some(({ call }) => call === "createPayment")).toBe(true);
  expect(canaries.foundIn(JSON.stringify(asaas.requests))).toEqual(["the page of Asaas"]);
  expect(canaries.foundIn(JSON.stringify(asked))).toEqual([]);
  expect(canaries.foundIn(answers.join("\n"))).toEqual([]);
  await service.end("SIGTERM");
  expect(service.output()).toContain('"level"');
  expect(canaries.foundIn(service.output())).toEqual([]);
  for (const text of [PERSON.name, PERSON.document, PERSON.document.replaceAll(/\D/g, "")]) {
    secrets.keep(`payer's ${text}`, text);
  }
  for (const text of [API_KEY, CALLBACK_TOKEN, merchant.path.split("/").at(-1) ?? ""])
    secrets.keep(text, text);
  expect(secrets.foundIn(service.output())).toEqual([]);
  const kept = await rows.allTexts();
  expect(kept).toContain(merchant.accountId);
  expect(canaries.foundIn(kept)).toEqual([]);
  expect(secrets.foundIn(kept)).toEqual([]);
  expect(canaries.count).toBeGreaterThan(40);
}, 120_000);
