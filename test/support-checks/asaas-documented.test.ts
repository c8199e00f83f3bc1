import { beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { calledAsaas, NOW, refused, type Body } from "./asaas-called.ts";

// The forms of requests that the provider's guides and its document show, with values of our own.
const { asaas, call } = await forFile(calledAsaas());
beforeEach(() => asaas.clock.set(NOW));

const CUSTOMER = {
  name: "Marcos Lima",
  cpfCnpj: "249.715.637-92",
  email: "marcos@example.com",
  phone: "1133334444",
  mobilePhone: "11987654321",
  address: "Rua das Flores",
  addressNumber: "10",
  complement: "Sala 2",
  province: "Centro",
  postalCode: "01310100",
  externalReference: "customer-1",
  notificationDisabled: true,
  additionalEmails: "a@example.com,b@example.com",
  observations: "Cliente antigo",
};
const { id: customer } = (await call("POST", "/customers", CUSTOMER)).body as { id: string };
// What a charge may have besides, of which cards and PIX use nothing.
const TERMS = {
  discount: { value: 0, dueDateLimitDays: 0 },
  fine: { value: 1 },
  interest: { value: 2 },
  postalService: false,
};
const CARD = { customer, billingType: "CREDIT_CARD", dueDate: "2026-07-21" };
const CALLBACK = { successUrl: "https://shop.example.com/paid", autoRedirect: true };
const make = async (body: object): Promise<Body> => await call("POST", "/payments", body);

describe("the documented request of", () => {
  test("a customer makes one that is found by its reference and its CPF", async () => {
    expect((await call("GET", `/customers/${customer}`)).body).toMatchObject({
      object: "customer",
      cpfCnpj: "24971563792",
      personType: "FISICA",
      notificationDisabled: true,
    });
    for (const query of [
      "externalReference=customer-1",
      "cpfCnpj=24971563792&externalReference=customer-1",
    ]) {
      expect((await call("GET", `/customers?${query}&offset=0&limit=10`)).body).toMatchObject({
        data: [{ id: customer }],
      });
    }
  });

  test("a charge by card answers the address of its invoice", async () => {
    const { status, body } = await make({
      ...CARD,
      value: 109.9,
      callback: CALLBACK,
      description: "Pedido 1",
    });
    expect([status, body.status, body.value]).toEqual([200, "PENDING", 109.9]);
    expect(body.invoiceUrl).toMatch(/\/i\/\w+$/);
    expect((await call("GET", `/payments/${body.id}/status`)).body).toEqual({ status: "PENDING" });
    expect((await call("DELETE", `/payments/${body.id}`)).body).toEqual({ deleted: true, id: body.id });
  });

  test.each([
    ["the value of each", { installmentCount: 6, installmentValue: 20 }, 120],
    ["the value of all", { installmentCount: 6, totalValue: 120.5 }, 120.5],
  ])("a charge in installments has %s, and is listed by its reference", async (_name, terms, total) => {
    const externalReference = `order-${total}`;
    const { body } = await make({ ...CARD, ...TERMS, ...terms, externalReference });
    expect((await call("GET", `/installments/${body.installment}`)).body).toMatchObject({
      installmentCount: 6,
      value: total,
    });
    const listed = await call("GET", `/payments?externalReference=${externalReference}&limit=4&offset=4`);
    expect(listed.body).toMatchObject({ hasMore: false, totalCount: 6, limit: 4, offset: 4 });
    expect(listed.body.data).toHaveLength(2);
  });

  test("a charge by PIX has a code until a year after its due date, and is refunded in part and whole", async () => {
    const { body } = await make({
      customer,
      billingType: "PIX",
      value: 100.9,
      dueDate: "2026-07-21",
      ...TERMS,
    });
    expect(Object.keys((await call("GET", `/payments/${body.id}/pixQrCode`)).body)).toEqual(
      expect.arrayContaining(["encodedImage", "payload", "expirationDate"]),
    );
    const { id } = (await make({ ...CARD, value: 100.9 })).body;
    asaas.pay(id);
    const part = await call("POST", `/payments/${id}/refund`, { value: 40.5, description: "Item em falta" });
    expect(part.body).toMatchObject({ status: "CONFIRMED", refunds: [{ value: 40.5, status: "DONE" }] });
    expect((await call("POST", `/payments/${id}/refund`)).body.status).toBe("REFUNDED");
  });

  test.each([
    ["DETACHED", {}],
    ["INSTALLMENT", { installment: { maxInstallmentCount: 12 } }],
  ])("a checkout of the kind %s answers its address, and is canceled", async (chargeType, terms) => {
    const { status, body } = await call("POST", "/checkouts", {
      billingTypes: ["CREDIT_CARD", "PIX"],
      chargeTypes: [chargeType],
      ...terms,
      minutesToExpire: 60,
      callback: {
        successUrl: "https://shop.example.com/paid",
        cancelUrl: "https://shop.example.com/canceled",
        expiredUrl: "https://shop.example.com/expired",
      },
      items: [{ name: "Curso", description: "Online", imageBase64: "aQ==", quantity: 2, value: 100.25 }],
      customerData: { name: "Marcos Lima", cpfCnpj: "24971563792", email: "marcos@example.com" },
    });
    expect([status, body.status]).toEqual([200, "ACTIVE"]);
    expect(body.link).toContain(body.id);
    expect((await call("POST", `/checkouts/${body.id}/cancel`)).body.status).toBe("CANCELED");
  });

  test("a webhook has an e-mail and its events, and is read, changed and removed", async () => {
    const asked = {
      name: "Loja",
      url: "https://shop.example.com/hook",
      email: "tecnico@example.com",
      enabled: true,
      interrupted: false,
      apiVersion: 3,
      authToken: null,
      sendType: "SEQUENTIALLY",
      events: [
        "PAYMENT_CREATED",
        "PAYMENT_CONFIRMED",
        "PAYMENT_RECEIVED",
        "PAYMENT_RESTORED",
        "PAYMENT_CHECKOUT_VIEWED",
      ],
    };
    const { id } = (await call("POST", "/webhooks", asked)).body;
    const { authToken: _none, ...shown } = asked;
    expect((await call("GET", `/webhooks/${id}`)).body).toEqual({ ...shown, id, hasAuthToken: false });
    expect((await call("PUT", `/webhooks/${id}`, { enabled: false })).body).toMatchObject({ enabled: false });
    expect((await call("DELETE", `/webhooks/${id}`)).body).toEqual({ deleted: true, id });
    for (const field of ["name", "url", "email", "enabled", "interrupted", "sendType", "events"]) {
      const without = { ...asked, [field]: undefined };
      expect(await call("POST", "/webhooks", without)).toMatchObject(refused(`invalid_${field}`));
    }
    const short = { ...asked, authToken: "t".repeat(31) };
    expect(await call("POST", "/webhooks", short)).toMatchObject(refused("invalid_authToken"));
  });
});

describe("what the documents refuse is refused:", () => {
  test.each<[string, string, object]>([
    ["a charge without a customer", "invalid_customer", { customer: undefined, value: 10 }],
    ["a way to pay that they do not name", "invalid_billingType", { billingType: "CHEQUE", value: 10 }],
    ["a charge without a value", "invalid_value", {}],
    ["a value below five reais", "invalid_value", { value: 4.99 }],
    ["an installment below five reais", "invalid_totalValue", { installmentCount: 3, totalValue: 14.99 }],
    ["22 installments", "invalid_installmentCount", { installmentCount: 22, totalValue: 500 }],
    ["a charge without a due date", "invalid_dueDate", { dueDate: undefined, value: 10 }],
    [
      "more than 500 characters of a description",
      "invalid_description",
      { value: 10, description: "x".repeat(501) },
    ],
  ])("%s", async (_name, code, terms) => {
    expect(await make({ ...CARD, ...terms })).toMatchObject(refused(code));
  });

  test("a customer that does not exist, one without a name, and a text in a CPF's place", async () => {
    expect((await make({ ...CARD, customer: "cus_000000000000", value: 10 })).status).toBe(404);
    expect(await call("POST", "/customers", { cpfCnpj: "24971563792" })).toMatchObject(
      refused("invalid_name"),
    );
    expect((await call("POST", "/customers", { name: "Ana", cpfCnpj: "sem CPF" })).status).toBe(400);
  });

  test.each<[string, object]>([
    ["installment", { chargeTypes: ["INSTALLMENT"] }],
    ["items", { items: [] }],
    ["callback", { callback: undefined }],
    ["billingTypes", { billingTypes: ["BOLETO"] }],
  ])("a checkout whose %s is missing or not as documented", async (field, changes) => {
    const asked = {
      billingTypes: ["PIX"],
      chargeTypes: ["DETACHED"],
      items: [{ name: "Curso", imageBase64: "aQ==", quantity: 1, value: 100 }],
      callback: {
        successUrl: "https://shop.example.com/",
        cancelUrl: "https://shop.example.com/",
        expiredUrl: "https://shop.example.com/",
      },
    };
    expect(await call("POST", "/checkouts", { ...asked, ...changes })).toMatchObject(
      refused(`invalid_${field}`),
    );
  });

  test("an eleventh webhook", async () => {
    const asked = {
      name: "Loja",
      url: "https://shop.example.com/hook",
      email: "tecnico@example.com",
      enabled: true,
      interrupted: false,
      sendType: "NON_SEQUENTIALLY",
      events: ["PAYMENT_CONFIRMED"],
    };
    for (let count = 0; count < 10; count++)
      expect((await call("POST", "/webhooks", asked)).status).toBe(200);
    expect((await call("POST", "/webhooks", asked)).status).toBe(400);
  });
});
