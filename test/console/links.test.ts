import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { createMerchant } from "../support/merchant.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const LIST = "/console/test/links";
const NEW = `${LIST}/new`;

// Offers fewer installments, and has no link.
const service = await forFile(startService());
const merchant = await createMerchant(service);
const owner = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
const limited = await createMerchant(service, { maxInstallments: 6 });
const clerk = new ConsoleClient(service, await createUser(service, limited.tenant.id, "finance"));

/** The page's text as users read it. */
function textOf(body: string): string {
  return body
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/[\s\u00A0\u202F]+/g, " ");
}

async function create(form: Record<string, string | string[]>, client = owner) {
  const answer = await client.post(NEW, NEW, { currency: "BRL", payment_methods: "pix", ...form });
  const id = /\/links\/(pl_\w+)\?done=made$/.exec(answer.headers.location ?? "")?.[1] ?? "";
  return { answer, id };
}

async function read(id: string) {
  return await merchant.links.getPaymentLink({ id }, merchant.as);
}

describe("the form of a new link", () => {
  test("makes a link of every option, which the list, the link's page and the payer's page show", async () => {
    const { answer, id } = await create({
      amount: "1.599,90",
      payment_methods: ["pix", "card"],
      max_installments: "4",
      fee_handling: "pass_through",
      campaign: "yes",
      expires_unit: "hours",
      expires_in: "5",
      description: "Tênis azul",
      details: "Entrega em 3 dias",
      product_ref: "SKU-7",
      product_images: "https://images.example.test/a.jpg\r\n\r\n https://images.example.test/b.jpg ",
      collect_fields: "both",
      reference: "pedido-1042",
      metadata_key: ["canal", "", "loja"],
      metadata_value: ["whatsapp", "", "7"],
    });
    expect(answer.statusCode).toBe(303);
    const { paymentLink, details } = await read(id);
    expect(paymentLink).toMatchObject({
      amount: 159_990n,
      currency: "BRL",
      paymentMethods: [1, 2],
      maxInstallments: 4,
      feeHandling: 2,
      description: "Tênis azul",
      details: "Entrega em 3 dias",
      productRef: "SKU-7",
      productImages: ["https://images.example.test/a.jpg", "https://images.example.test/b.jpg"],
      collectFields: [1, 2],
      reference: "pedido-1042",
      metadata: { canal: "whatsapp", loja: "7" },
    });
    expect(details?.isCampaign).toBe(true);
    expect(Number(paymentLink?.expiresAt?.seconds) - Number(paymentLink?.created?.seconds)).toBe(5 * 3600);
    const list = textOf((await owner.get(`${LIST}?query=PEDIDO`)).body);
    for (const text of ["Tênis azul", "pedido-1042", "R$ 1.599,90", "Ativo", "Campanha"])
      expect(list).toContain(text);
    const page = textOf((await owner.get(answer.headers.location ?? "")).body);
    for (const text of [
      "Link criado",
      id,
      "até 4x",
      "O pagador paga as tarifas",
      "canal",
      "whatsapp",
      "SKU-7",
    ])
      expect(page).toContain(text);
    expect((await service.gateway.inject({ url: `/pay/${id}` })).body).toContain("Tênis azul");
  });

  test("leaves empty fields to the core", async () => {
    const { id } = await create({ amount: "10" });
    const { paymentLink, details } = await read(id);
    expect(paymentLink).toMatchObject({ amount: 1000n, paymentMethods: [1], feeHandling: 1, metadata: {} });
    expect(Number(paymentLink?.expiresAt?.seconds) - Number(paymentLink?.created?.seconds)).toBe(86_400);
    expect(paymentLink?.description).toBeUndefined();
    expect(details?.isCampaign).toBe(false);
    const never = await create({ amount: "10", expires_unit: "never" });
    expect((await read(never.id)).paymentLink?.expiresAt?.seconds).toBe(0n);
  });

  test("sent twice makes one link; opened anew, another one", async () => {
    const { body } = await owner.get(NEW);
    const field = (name: string): string =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? "";
    const form = {
      form_token: field("form_token"),
      form_id: field("form_id"),
      amount: "77,77",
      payment_methods: "pix",
    };
    const answers = await Promise.all([owner.send(NEW, form), owner.send(NEW, form), owner.send(NEW, form)]);
    const places = new Set(answers.map(({ headers }) => headers.location));
    expect(places.size).toBe(1);
    const { data } = await merchant.links.listPaymentLinks({ limit: 100 }, merchant.as);
    expect(data.filter(({ paymentLink }) => paymentLink?.amount === 7777n)).toHaveLength(1);
    const again = await owner.send(NEW, { ...form, amount: "78" });
    expect([again.statusCode, textOf(again.body).includes("já foi enviado")]).toEqual([422, true]);
    expect((await create({ amount: "77,77" })).answer.headers.location).not.toBe([...places][0]);
  });

  test.each([
    ["amount", { amount: "" }],
    ["amount", { amount: "1,234" }],
    ["amount", { amount: "dez" }],
    ["amount", { amount: "0" }],
    ["amount", { amount: "99999999999999" }],
    ["payment_methods", { amount: "10", payment_methods: [] }],
    ["expires_in", { amount: "10", expires_unit: "days", expires_in: "-1" }],
    ["expires_in", { amount: "10", expires_unit: "days", expires_in: "9999999999" }],
    ["metadata", { amount: "10", metadata_key: ["a", "a"], metadata_value: ["1", "2"] }],
    ["metadata", { amount: "10", metadata_key: [""], metadata_value: ["1"] }],
    ["metadata", { amount: "10", metadata_key: ["svc_x"], metadata_value: ["1"] }],
    ["product_images", { amount: "10", product_images: "a\nb\nc\nd\ne\nf" }],
    ["reference", { amount: "10", reference: "x".repeat(256) }],
    ["max_installments", { amount: "10", payment_methods: ["pix", "card"], max_installments: "21" }],
  ])("says beside %s what to change of %j, and keeps what was typed", async (field, form) => {
    const { answer } = await create({ description: "Fica", ...form }, clerk);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(`id="field-${field}-problem"`);
    expect(answer.body).toContain('value="Fica"');
    expect((await limited.links.listPaymentLinks({}, limited.as)).data).toEqual([]);
  });

  test("shows a refusal of the whole link: nothing would be left", async () => {
    const { answer } = await create({ amount: "0,50" });
    expect([answer.statusCode, textOf(answer.body).includes("nada sobraria para você")]).toEqual([422, true]);
  });

  test("without a script: more rows and prices are buttons that make nothing", async () => {
    const before = (await merchant.links.listPaymentLinks({ limit: 100 }, merchant.as)).data.length;
    const form = { amount: "159,90", metadata_key: ["a", ""], metadata_value: ["1", ""] };
    const more = await create({ ...form, do: "more_rows" });
    expect([more.answer.statusCode, more.answer.body.match(/name="metadata_key"/g)?.length]).toEqual([
      200, 5,
    ]);
    const priced = await create({ ...form, do: "prices" });
    expect(textOf(priced.answer.body)).toContain("R$ 157,92");
    expect((await merchant.links.listPaymentLinks({ limit: 100 }, merchant.as)).data).toHaveLength(before);
  });
});

describe("a link's page", () => {
  test("shows its sessions, payments with their stored values and events", async () => {
    const { id } = await create({ amount: "159,90", campaign: "yes" });
    const paymentId = await new Payer(service, id).payByPix();
    const simulated = await owner.post(`${LIST}/${id}`, `${LIST}/${id}/simulate`, {
      outcome: "failed",
      payment_method: "pix",
    });
    expect(simulated.headers.location).toBe(`${LIST}/${id}?done=simulated`);
    const page = textOf((await owner.get(simulated.headers.location ?? "")).body);
    const { payment } = await merchant.ledger.getPayment({ id: paymentId }, merchant.as);
    expect(payment).toMatchObject({ grossAmount: 15_990n, feeAmount: 198n, netAmount: 15_792n });
    for (const text of [
      paymentId,
      "R$ 159,90",
      "R$ 1,98",
      "R$ 157,92",
      "payment.succeeded",
      "payment.failed",
    ])
      expect(page).toContain(text);
    for (const text of ["Pagamento simulado", "Recusado", "Aberta"]) expect(page).toContain(text);
  });

  test("cancels it once and for all", async () => {
    const { id } = await create({ amount: "10" });
    const path = `${LIST}/${id}`;
    expect(textOf((await owner.get(path)).body)).toContain("Envie o endereço ao pagador");
    const canceled = await owner.post(path, `${path}/cancel`);
    expect(canceled.headers.location).toBe(`${path}?done=canceled`);
    const { body } = await owner.get(path);
    expect(textOf(body)).toContain("Cancelado");
    // It cannot be opened any more.
    expect(textOf(body)).toContain("Ninguém abriu este link enquanto valia.");
    expect(textOf(body)).not.toContain("Envie o endereço");
    for (const part of [`${path}/cancel`, `${path}/simulate`, 'class="qr"']) expect(body).not.toContain(part);
    const closed = await owner.post(NEW, `${path}/simulate`, { outcome: "succeeded", payment_method: "pix" });
    expect(closed.statusCode).toBe(422);
  });

  test("is unknown for a link of another tenant or mode; so is every change of it", async () => {
    const other = await createMerchant(service);
    const id = await other.newLink();
    for (const unknown of [id, "pl_nothing", "%00"]) {
      expect((await owner.get(`${LIST}/${unknown}`)).statusCode).toBe(404);
      for (const change of ["cancel", "simulate"]) {
        const form = { outcome: "succeeded", payment_method: "pix" };
        expect((await owner.post(NEW, `${LIST}/${unknown}/${change}`, form)).statusCode).toBe(404);
      }
    }
    const own = await create({ amount: "10" });
    expect((await owner.get(`/console/live/links/${own.id}`)).statusCode).toBe(404);
    expect((await owner.get("/console/live/links")).body).not.toContain(own.id);
    expect((await other.links.getPaymentLink({ id }, other.as)).paymentLink?.status).toBe(1);
  });
});

test("hostile text stays text in every field and on every page", async () => {
  const typed = {
    amount: "10",
    description: HOSTILE,
    details: HOSTILE,
    product_ref: HOSTILE,
    product_images: HOSTILE,
    reference: HOSTILE,
    metadata_key: [HOSTILE],
    metadata_value: [HOSTILE],
  };
  const refused = await create({ ...typed, amount: HOSTILE });
  const { answer, id } = await create(typed);
  const pages = [refused.answer, await owner.get(`${LIST}/${id}`), await owner.get(LIST)];
  pages.push(await owner.get(`${LIST}?${new URLSearchParams({ query: HOSTILE, from: HOSTILE }).toString()}`));
  pages.push(
    await owner.get(`${NEW}?${new URLSearchParams({ amount: HOSTILE, description: HOSTILE }).toString()}`),
  );
  expect(answer.statusCode).toBe(303);
  for (const { body } of pages) {
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toMatch(/<script>|<img src=x/);
  }
  const found = await owner.get(`${LIST}?${new URLSearchParams({ query: HOSTILE.slice(0, 40) }).toString()}`);
  expect(found.body).toContain(id);
});

describe("the list", () => {
  test("shows what to do when it is empty, by role", async () => {
    const fresh = await createMerchant(service);
    const finance = new ConsoleClient(service, await createUser(service, fresh.tenant.id, "finance"));
    const viewer = new ConsoleClient(service, await createUser(service, fresh.tenant.id, "viewer"));
    expect((await finance.get(LIST)).body).toContain('href="/console/test/links/new"');
    const { body } = await viewer.get(LIST);
    expect([body.includes("/links/new"), textOf(body).includes("Ainda não há links")]).toEqual([false, true]);
    expect(textOf((await viewer.get(`${LIST}?status=expired`)).body)).toContain("Nenhum link corresponde");
  });

  test("leads through all pages, with any filter", async () => {
    const fresh = await createMerchant(service);
    const made = new Set<string>();
    for (let index = 0; index < 23; index++) made.add(await fresh.newLink({ reference: `order-${index}` }));
    await fresh.newLink({ reference: "other" });
    const client = new ConsoleClient(service, await createUser(service, fresh.tenant.id, "viewer"));
    const seen: string[] = [];
    let place = `${LIST}?query=order&status=active`;
    for (let page = 0; page < 5; page++) {
      const { body } = await client.get(place);
      seen.push(...[...body.matchAll(/href="\/console\/test\/links\/(pl_\w+)"/g)].map(([, id]) => id ?? ""));
      const next = /rel="next" href="([^"]+)"/.exec(body)?.[1];
      if (next === undefined) break;
      place = next.replaceAll("&amp;", "&");
    }
    expect([seen.length, new Set(seen)]).toEqual([23, made]);
  });

  test("shows beside the filter what is no date, and takes anything else as no filter", async () => {
    const bad = await owner.get(`${LIST}?from=tomorrow`);
    expect([bad.statusCode, bad.body.includes("field-from-problem")]).toEqual([422, true]);
    expect((await owner.get(`${LIST}?after=nonsense`)).statusCode).toBe(422);
    for (const query of ["status=nonsense", "kind=x&kind=y", "query=a&query=b", "query=%00", "unknown=1"])
      expect((await owner.get(`${LIST}?${query}`)).statusCode).toBe(200);
  });
});

test("a viewer looks at everything and changes nothing", async () => {
  const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
  const { id } = await create({ amount: "10" });
  const { body, statusCode } = await viewer.get(`${LIST}/${id}`);
  expect(statusCode).toBe(200);
  for (const part of ["/cancel", "/simulate", "/links/new"]) expect(body).not.toContain(part);
  expect((await viewer.get(NEW)).statusCode).toBe(403);
  expect((await viewer.get(`${LIST}/prices?amount=10`)).statusCode).toBe(403);
  for (const action of [NEW, `${LIST}/${id}/cancel`, `${LIST}/${id}/simulate`])
    expect((await viewer.post(LIST, action, { amount: "10" })).statusCode).toBe(403);
  expect((await read(id)).paymentLink?.status).toBe(1);
});
