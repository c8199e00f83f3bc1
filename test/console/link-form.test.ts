import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService, PayerFieldRule } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { LinkPages, LIST, NEW } from "./link-pages.ts";

const links = await LinkPages.forFile();
const { service, merchant, owner } = links;
// Offers fewer installments, and has no link.
const limited = await createMerchant(service, { maxInstallments: 6 });
const clerk = new ConsoleClient(service, await createUser(service, limited.tenant.id, "finance"));

/** Returns the payment methods that a form's page has checked. */
function checkedIn(body: string): string[] {
  const boxes = body.match(/<input[^>]*name="payment_methods"[^>]*>/g) ?? [];
  return boxes.flatMap((box) => (/\schecked/.test(box) ? (/value="(\w+)"/.exec(box)?.[1] ?? []) : []));
}

describe("the form of a new link", () => {
  test("makes a link of every option, which the list, the link's page and the payer's page show", async () => {
    const { answer, id } = await links.create({
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
      payer_name: "required",
      payer_email: "no",
      payer_tax_id: "optional",
      reference: "pedido-1042",
      metadata_key: ["canal", "", "loja"],
      metadata_value: ["whatsapp", "", "7"],
    });
    expect(answer.statusCode).toBe(303);
    const { paymentLink, details } = await links.read(id);
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
      payerFields: { name: PayerFieldRule.REQUIRED, taxId: PayerFieldRule.OPTIONAL },
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
      "Nome completo, CPF ou CNPJ (opcional), Telefone, Endereço",
    ])
      expect(page).toContain(text);
    expect((await service.gateway.inject({ url: `/pay/${id}` })).body).toContain("Tênis azul");
  });

  test("begins with what the company asks payers for, or with what the copied link asks for", async () => {
    const other = await createMerchant(service);
    const person = new ConsoleClient(service, await createUser(service, other.tenant.id, "finance"));
    const chosen = async (query = ""): Promise<(string | undefined)[]> => {
      const { body } = await person.get(`${NEW}${query}`);
      return ["payer_name", "payer_email", "payer_tax_id"].map((name) => {
        const [field = ""] = new RegExp(`<select[^>]*name="${name}"[^]*?</select>`).exec(body) ?? [];
        return /value="(\w*)"\s+selected/.exec(field)?.[1];
      });
    };
    const setUsual = async (payerFields: object) =>
      await createClient(IdentityService, service.core.transport).updateTenant(
        { tenantId: other.tenant.id, payerFields },
        service.internal,
      );
    expect(await chosen()).toEqual(["no", "no", "no"]);
    await setUsual({ email: PayerFieldRule.REQUIRED });
    expect(await chosen()).toEqual(["no", "required", "no"]);
    const copied = await other.newLink({ payer_fields: { name: "optional" } });
    expect(await chosen(`?copy=${copied}`)).toEqual(["optional", "no", "no"]);
  });

  test("leaves empty fields to the core", async () => {
    const { id } = await links.create({ amount: "10" });
    const { paymentLink, details } = await links.read(id);
    expect(paymentLink).toMatchObject({ amount: 1000n, paymentMethods: [1], feeHandling: 1, metadata: {} });
    expect(paymentLink?.description).toBeUndefined();
    expect(details?.isCampaign).toBe(false);
  });

  test("makes a single link of seven days and a campaign without an end, and the API's default stays a day", async () => {
    const lifeOf = async (id: string): Promise<number> => {
      const { paymentLink } = await links.read(id);
      const end = Number(paymentLink?.expiresAt?.seconds);
      return end === 0 ? 0 : end - Number(paymentLink?.created?.seconds);
    };
    expect(await lifeOf((await links.create({ amount: "10" })).id)).toBe(7 * 86_400);
    expect(await lifeOf((await links.create({ amount: "10", campaign: "yes" })).id)).toBe(0);
    expect(await lifeOf((await links.create({ amount: "10", expires_unit: "never" })).id)).toBe(0);
    expect(await lifeOf(await merchant.newLink())).toBe(86_400);
  });

  test.each([
    ["PIX and cards where both are contracted", {}, ["pix", "card"]],
    ["PIX alone where cards are not", { paymentMethods: ["pix"] }, ["pix"]],
    ["cards alone where PIX is not", { paymentMethods: ["card", "ted"] }, ["card"]],
  ])("begins with %s", async (_, tenant, methods) => {
    const other = await createMerchant(service, tenant);
    const by = new ConsoleClient(service, await createUser(service, other.tenant.id, "finance"));
    // Also when the address fills in an amount.
    for (const page of [NEW, `${NEW}?amount=10`])
      expect(checkedIn((await by.get(page)).body)).toEqual(methods);
  });

  test("begins in live mode with PIX alone until an account charges by card", async () => {
    expect(checkedIn((await owner.get(NEW.replace("test", "live"))).body)).toEqual(["pix"]);
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
    expect((await links.create({ amount: "77,77" })).answer.headers.location).not.toBe([...places][0]);
  });

  test.each([
    ["amount", { amount: "" }],
    ["amount", { amount: "1,234" }],
    ["amount", { amount: "dez" }],
    ["amount", { amount: "0" }],
    ["amount", { amount: "99999999999999" }],
    ["payment_methods", { amount: "10", payment_methods: [] }],
    ["expires_unit", { amount: "10", expires_unit: "", expires_in: "3" }],
    ["expires_in", { amount: "10", expires_unit: "days", expires_in: "-1" }],
    ["expires_in", { amount: "10", expires_unit: "days", expires_in: "9999999999" }],
    ["metadata", { amount: "10", metadata_key: ["a", "a"], metadata_value: ["1", "2"] }],
    ["metadata", { amount: "10", metadata_key: [""], metadata_value: ["1"] }],
    ["metadata", { amount: "10", metadata_key: ["svc_x"], metadata_value: ["1"] }],
    ["product_images", { amount: "10", product_images: "a\nb\nc\nd\ne\nf" }],
    ["reference", { amount: "10", reference: "x".repeat(256) }],
    ["max_installments", { amount: "10", payment_methods: ["pix", "card"], max_installments: "21" }],
  ])("says beside %s what to change of %j, and keeps what was typed", async (field, form) => {
    const { answer } = await links.create({ description: "Fica", ...form }, clerk);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(`id="field-${field}-problem"`);
    expect(answer.body).toContain('value="Fica"');
    expect((await limited.links.listPaymentLinks({}, limited.as)).data).toEqual([]);
  });

  test("says that a company of two active legal entities makes no link, beside the prices too", async () => {
    const two = await createMerchant(service);
    const second = { tenantId: two.tenant.id, name: "Second", payoutCurrency: "USD" };
    await createClient(IdentityService, service.core.transport).createLegalEntity(second, service.internal);
    const by = new ConsoleClient(service, await createUser(service, two.tenant.id, "owner"));
    const { answer } = await links.create({ amount: "10" }, by);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain("<li>A empresa tem mais de uma pessoa jurídica ativa;");
    for (const path of [NEW, "/console/test/quotes/new"]) {
      const { body } = await by.get(`${path}?amount=10&lang=en`);
      expect(body).toContain("The company has more than one active legal entity;");
    }
  });

  test("shows a refusal of the whole link: nothing would be left", async () => {
    const { answer } = await links.create({ amount: "0,50" });
    expect([answer.statusCode, textOf(answer.body).includes("nada sobraria para você")]).toEqual([422, true]);
  });

  test("marks in its prices the installments that the link gets, also where no number is chosen", async () => {
    const form = { amount: "1.599,90", payment_methods: ["pix", "card"] };
    const marked = async (more: object): Promise<string[]> => {
      const { body } = (await links.create({ ...form, ...more, do: "prices" })).answer;
      const rows = textOf(body).matchAll(/(?:crédito|em) (\d+)x (Sim|Não)/g);
      return [...rows].flatMap(([, n = "", is]) => (is === "Sim" ? [n] : []));
    };
    const upTo = (most: number) => Array.from({ length: most }, (_, index) => String(index + 1));
    const { id } = await links.create(form);
    expect((await links.read(id)).paymentLink?.maxInstallments).toBe(12);
    expect(await marked({})).toEqual(upTo(12));
    expect(await marked({ max_installments: "21" })).toEqual(upTo(21));
  });

  test("without a script: more rows and prices are buttons that make nothing", async () => {
    const before = (await merchant.links.listPaymentLinks({ limit: 100 }, merchant.as)).data.length;
    const form = { amount: "159,90", metadata_key: ["a", ""], metadata_value: ["1", ""] };
    const more = await links.create({ ...form, do: "more_rows" });
    expect([more.answer.statusCode, more.answer.body.match(/name="metadata_key"/g)?.length]).toEqual([
      200, 5,
    ]);
    const priced = await links.create({ ...form, do: "prices" });
    expect(textOf(priced.answer.body)).toContain("R$ 157,92");
    expect((await merchant.links.listPaymentLinks({ limit: 100 }, merchant.as)).data).toHaveLength(before);
  });
});
