import jsqrModule from "jsqr";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { FeeHandling, PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { remade } from "../../src/media/picture.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { textOf } from "../support/page-text.ts";
import { png as picture } from "../support/pictures.ts";
import { LinkPages, LIST, NEW } from "./link-pages.ts";

// The CommonJS module has its function in `default`.
const jsQR = jsqrModule.default;
const links = await LinkPages.forFile();
const { service, merchant, owner } = links;
const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
const pageOf = async (id: string) => (await owner.get(`${LIST}/${id}`)).body;
const statusOf = async (id: string) => (await merchant.api.get(`/v1/payment_links/${id}`)).body.status;

const fieldIn = (page: string, name: string) =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "").replaceAll("&quot;", '"');

describe("a link", () => {
  test("changes what no payer has relied on, and the audit log says so", async () => {
    const id = await merchant.newLink({ description: "Antes", reference: "pedido-1" });
    const edit = `${LIST}/${id}/edit`;
    const page = (await owner.get(edit)).body;
    expect(page).toContain('value="Antes"');
    const given = {
      opened: fieldIn(page, "opened"),
      description: "Depois",
      details: "",
      product_ref: "SKU-1",
      reference: "pedido-2",
      product_images: "",
    };
    const answer = await owner.post(edit, edit, { ...given, expires_unit: "days", expires_in: "3" });
    expect(answer.headers.location).toBe(`${LIST}/${id}?done=changed`);
    const { paymentLink } = await links.read(id);
    expect(paymentLink).toMatchObject({
      description: "Depois",
      productRef: "SKU-1",
      reference: "pedido-2",
      amount: 15_990n,
    });
    const left = Number(paymentLink?.expiresAt?.seconds) * 1000 - service.clock.nowMs();
    expect(Math.round(left / 3_600_000)).toBe(72);
    expect((await owner.get("/console/test/audit")).body).toContain("Mudou um link");
    const wrong = await owner.post(edit, edit, { ...given, expires_unit: "", expires_in: "3" });
    expect([wrong.statusCode, wrong.body.includes('value="Depois"')]).toEqual([422, true]);
  });

  test("that has changed since its form was opened is not changed by it", async () => {
    const id = await merchant.newLink({ reference: "pedido-1" });
    const edit = `${LIST}/${id}/edit`;
    const page = (await owner.get(edit)).body;
    const opened = fieldIn(page, "opened");
    await merchant.links.updatePaymentLink({ id, reference: "pedido-2" }, merchant.as);
    const form = {
      description: "Depois",
      details: "",
      product_ref: "",
      reference: "pedido-1",
      product_images: "",
    };
    const answer = await owner.post(edit, edit, { ...form, opened });
    expect([answer.statusCode, answer.body.includes("foi alterado depois")]).toEqual([422, true]);
    expect((await links.read(id)).paymentLink?.reference).toBe("pedido-2");
  });

  test("that is paid cannot be edited or reactivated, and its page does not offer it", async () => {
    const { body: payment } = await merchant.pay();
    const page = await pageOf(payment.link_id);
    expect(page).not.toContain(`/edit"`);
    expect((await owner.get(`${LIST}/${payment.link_id}/edit`)).statusCode).toBe(404);
  });

  test("has what a payer who has paid reads, from its form to its page, its copy and its edit", async () => {
    const after = { success_message: "Obrigada!", success_url: "https://loja.example/obrigado" };
    const wrong = await links.create({ amount: "10", ...after, success_url: "http://loja.example" });
    expect(wrong.answer.statusCode).toBe(422);
    expect(textOf(wrong.answer.body)).toContain("Escreva um endereço que comece com https://");
    const { id } = await links.create({ amount: "10", ...after });
    expect((await links.read(id)).paymentLink).toMatchObject({
      successMessage: "Obrigada!",
      successUrl: "https://loja.example/obrigado",
    });
    const copy = (await owner.get(`${NEW}?copy=${id}`)).body;
    for (const page of [await pageOf(id), copy])
      for (const text of Object.values(after)) expect(page).toContain(text);
    const edit = `${LIST}/${id}/edit`;
    const opened = fieldIn((await owner.get(edit)).body, "opened");
    const form = { opened, description: "", details: "", product_ref: "", reference: "", product_images: "" };
    const refused = await owner.post(edit, edit, {
      ...form,
      ...after,
      success_url: "https://me@loja.example",
    });
    expect(textOf(refused.body)).toContain("Escreva um endereço que comece com https://");
    await owner.post(edit, edit, { ...form, success_message: "Valeu!", success_url: "" });
    const { paymentLink } = await links.read(id);
    expect([paymentLink?.successMessage, paymentLink?.successUrl]).toEqual(["Valeu!", undefined]);
  });

  test("is deactivated and reactivated", async () => {
    const id = await merchant.newLink();
    await owner.post(`${LIST}/${id}`, `${LIST}/${id}/cancel`, {});
    expect(await statusOf(id)).toBe("canceled");
    expect(textOf(await pageOf(id))).toContain("Desativado");
    await owner.post(`${LIST}/${id}`, `${LIST}/${id}/reactivate`, {});
    expect(await statusOf(id)).toBe("active");
  });

  test("is duplicated by a form that is filled in like it", async () => {
    const body = {
      amount: 159_990,
      description: "Curso",
      payment_methods: ["pix", "card"],
      max_installments: 4,
    };
    const id = await merchant.newLink({ ...body, metadata: { canal: "loja" }, fee_handling: "pass_through" });
    const form = (await owner.get(`${NEW}?copy=${id}`)).body;
    for (const value of ['value="1599.90"', 'value="Curso"', 'value="canal"', 'value="loja"'])
      expect(form).toContain(value);
    expect(form).toMatch(/<option value="4"\s+selected/);
    expect(form).toMatch(/<option value="pass_through"\s+selected/);
    expect((await owner.get(`${NEW}?copy=pl_0`)).statusCode).toBe(404);
  });

  test("is shared by its QR code in both formats, and by texts that are ready", async () => {
    const id = await merchant.newLink({ description: "Tênis & meia" });
    const address = (await links.read(id)).paymentLink?.checkoutUrl ?? "";
    // Its decoder refuses formats that no merchant uploads, in the whole process.
    await remade(await picture());
    const png = await viewer.get(`${LIST}/${id}/qr.png`);
    const { data, width, height } = await new Promise<PNG>((resolve, reject) => {
      new PNG().parse(png.rawPayload, (error, read) => (error ? reject(error) : resolve(read)));
    });
    expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(address);
    const svg = await viewer.get(`${LIST}/${id}/qr.svg`);
    expect(svg.headers["content-type"]).toBe("image/svg+xml");
    expect(svg.body).toContain('xmlns="http://www.w3.org/2000/svg"');
    const page = await pageOf(id);
    const text = encodeURIComponent("Tênis & meia");
    expect(page).toContain(`https://wa.me/?text=Ol%C3%A1!%20Segue%20o%20link%20para%20pagar%20${text}`);
    expect(page).toContain(`mailto:?subject=${text}`);
    expect(page).toContain(encodeURIComponent(address));
  });
});

describe("many links", () => {
  test("are deactivated and reactivated at once; those that are paid stay as they are", async () => {
    const [one, two] = [await merchant.newLink(), await merchant.newLink()];
    const paid = (await merchant.pay()).body.link_id;
    const change = async (word: string) => {
      const token = await owner.formToken(LIST);
      const answer = await owner.send(`${LIST}/many`, {
        form_token: token,
        do: word,
        link: [one, two, paid],
      });
      return textOf((await owner.get(answer.headers.location ?? "")).body);
    };
    const text = await change("cancel");
    expect(text).toContain("Links alterados: 2.");
    expect(text).toContain("já foram pagos ou expiraram: 1.");
    for (const id of [one, two]) expect(await statusOf(id)).toBe("canceled");
    await change("reactivate");
    for (const id of [one, two]) expect(await statusOf(id)).toBe("active");
    expect(await statusOf(paid)).toBe("completed");
  });

  test("need a choice, and a viewer has none", async () => {
    const none = await owner.post(LIST, `${LIST}/many`, { do: "cancel" });
    expect([none.statusCode, textOf(none.body).includes("Escolha ao menos um link")]).toEqual([422, true]);
    expect((await viewer.get(LIST)).body).not.toContain('name="link"');
  });

  test.each([
    ["comma", ",", "159.90"],
    ["semicolon", ";", "159,90"],
  ])("come from a CSV by %s, row by row, once however often it is sent", async (kind, separator, amount) => {
    const lines = [
      ["amount", "description", "reference", "payment_methods", "expires_in_days"],
      [amount, "Curso <b>", `${kind}-1`, "pix|card", "7"],
      ["dez", "Ruim", "", "", ""],
      ["20", "", `${kind}-2`, "", ""],
    ];
    const content = Buffer.from(lines.map((cells) => cells.join(separator)).join("\r\n"));
    const page = (await owner.get(`${LIST}/import`)).body;
    const form = { form_token: fieldIn(page, "form_token"), form_id: fieldIn(page, "form_id") };
    const send = async () => await owner.upload(`${LIST}/import`, form, {}, { name: "links.csv", content });
    const { statusCode, body } = await send();
    expect(statusCode).toBe(200);
    for (const text of ["2 de 3 links criados", "Curso &lt;b&gt;", "Escreva o valor só com números"])
      expect(body).toContain(text);
    await send();
    const { data } = await merchant.links.listPaymentLinks({ query: kind }, merchant.as);
    expect(data.map(({ paymentLink }) => paymentLink?.amount)).toEqual([2000n, 15_990n]);
  });

  test("come from words in any case, and of no others", async () => {
    const columns =
      "amount,reference,currency,payment_methods,max_installments,fee_handling,campaign,expires_in_days";
    const good = ["10,good-1,brl,PIX|Card,3,Pass_Through,Sim,", "10,good-2,,,,,não,2"];
    const bad = ["EUR,,,,,", "US$,,,,,", ",pix|cartao,,,,", ",card,3x,,,", ",card,99,,,", ",,,repassar,,"];
    const rows = [
      ...good,
      "159.900,bad-1,,,,,,",
      ...[...bad, ",,,,S,", ",,,,,abc"].map((cells) => `10,bad-1,${cells}`),
    ];
    const form = { form_token: await owner.formToken(`${LIST}/import`) };
    const file = { name: "links.csv", content: Buffer.from([columns, ...rows].join("\n")) };
    const { body } = await owner.upload(`${LIST}/import`, form, {}, file);
    expect(body).toContain(`2 de ${rows.length} links criados`);
    for (const text of ["currency: Escreva um destes valores: brl, usd.", "max_installments: ", "campaign: "])
      expect(body).toContain(text);
    const made = async (query: string) =>
      (await merchant.links.listPaymentLinks({ query }, merchant.as)).data;
    expect(await made("bad-1")).toEqual([]);
    const [one] = await made("good-1");
    expect(one?.paymentLink).toMatchObject({
      currency: "BRL",
      maxInstallments: 3,
      feeHandling: FeeHandling.PASS_THROUGH,
      paymentMethods: [PaymentMethod.PIX, PaymentMethod.CARD],
    });
  });

  test.each([
    ["amount,colour\n10,red", "Colunas desconhecidas: colour"],
    ['amount,description\n10,"Curso', "há aspas sem par"],
    ["amount,Amount\n10,99", "Colunas repetidas: amount"],
    ["amount,description\n10,Caf\u00E9", "Salve o arquivo como CSV UTF-8", "latin1"],
    ["amount\n", "O arquivo não tem linhas"],
    [`amount\n${"10\n".repeat(201)}`, "linhas demais"],
    ["", "Escolha um arquivo"],
  ])("are not made of %j, and the form says why", async (text, why, encoding: string = "utf8") => {
    const form = { form_token: await owner.formToken(`${LIST}/import`) };
    const file = { name: "links.csv", content: Buffer.from(text, encoding as BufferEncoding) };
    const answer = await owner.upload(`${LIST}/import`, form, {}, file);
    expect([answer.statusCode, answer.body.includes(why)]).toEqual([422, true]);
  });
});

describe("the form", () => {
  test("shows as many installments as the link gets, and the payer's page beside them", async () => {
    const query = "amount=159,90&payment_methods=pix&payment_methods=card&description=Curso";
    const { body } = await owner.get(`${NEW}?${query}`);
    expect(body).toContain("Cartão de crédito 12x");
    expect(body).not.toContain("Cartão de crédito 13x");
    expect(textOf(body)).toContain("Como o pagador vê");
    const id = (await links.create({ amount: "159,90", payment_methods: ["pix", "card"] })).id;
    expect((await links.read(id)).paymentLink?.maxInstallments).toBe(12);
  });
});
