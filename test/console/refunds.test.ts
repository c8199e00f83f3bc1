import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { RefundScene } from "../refunds/scene.ts";
import { PASSWORD } from "../support/users.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const client = async (role: "owner" | "finance" | "developer" | "viewer") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));

test("finance gives back a part of a payment, which its page then lists", async () => {
  const finance = await client("finance");
  const { id } = (await merchant.pay()).body;
  const page = `/console/test/payments/${id}`;
  expect((await finance.get(page)).body).toContain(`${page}/refund`);
  const form = { amount: "50,00", reason: "Tamanho errado", password: PASSWORD };
  const { headers } = await finance.post(`${page}/refund`, `${page}/refund`, form);
  expect(headers.location).toBe(`${page}?done=refunded`);
  const { body } = await finance.get(`${page}?lang=en`);
  expect(body).toMatch(/ref_[0-9a-z]{26}/);
  expect(body).toContain("refunded");
  expect((await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount).toBe(5000);
});

test("too much is refused beside the field, and nothing goes back", async () => {
  const owner = await client("owner");
  const { id } = (await merchant.pay()).body;
  const page = `/console/test/payments/${id}/refund`;
  const { statusCode, body } = await owner.post(page, page, { amount: "159,91", password: PASSWORD });
  expect(statusCode).toBe(422);
  expect(body).toContain('id="field-amount-problem"');
  expect((await merchant.api.get(`/v1/payments/${id}/refunds`)).body.data).toEqual([]);
});

test("the form says what is left and what of the fee does not come back, in both languages", async () => {
  const finance = await client("finance");
  const { id } = (await merchant.pay()).body;
  await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 5000 });
  const { fee_amount: fee } = (await merchant.api.get(`/v1/payments/${id}`)).body;
  const page = `/console/test/payments/${id}/refund`;
  const textOf = (body: string) => body.replaceAll(/<[^>]*>|\s+/g, " ").replaceAll(/[\u00A0\u202F]/g, " ");
  const portuguese = (await finance.get(page)).body;
  expect(textOf(portuguese)).toContain("Restam R$ 109,90 para devolver.");
  expect(textOf(portuguese)).toContain(
    `A tarifa de R$ ${(fee / 100).toFixed(2).replace(".", ",")} não volta`,
  );
  expect(portuguese).toContain('data-amount-text="Devolver {amount}"');
  const english = textOf((await finance.get(`${page}?lang=en`)).body);
  expect(english).toContain("R$109.90 is left to refund.");
  expect(english).toContain(`The fee of R$${(fee / 100).toFixed(2)} does not come back`);
});

test("where the service bears the fee, the form does not say that it stays away", async () => {
  const other = await createMerchant(service);
  const tenants = createClient(IdentityService, service.core.transport);
  await tenants.updateTenant({ tenantId: other.tenant.id, refundFee: "service" }, service.internal);
  const { id } = (await other.pay()).body;
  const owner = new ConsoleClient(service, await createUser(service, other.tenant.id, "owner"));
  const { body } = await owner.get(`/console/test/payments/${id}/refund?lang=en`);
  expect(body).toContain("is left to refund");
  expect(body).not.toContain("does not come back");
});

test("an empty password is named as missing, not as wrong, and nothing goes back", async () => {
  const owner = await client("owner");
  const { id } = (await merchant.pay()).body;
  const page = `/console/test/payments/${id}/refund`;
  const { statusCode, body } = await owner.post(page, page, { amount: "10,00" });
  expect(statusCode).toBe(422);
  expect(body).toContain("Digite a sua senha.");
  expect(body).not.toContain("Senha incorreta");
  expect((await merchant.api.get(`/v1/payments/${id}/refunds`)).body.data).toEqual([]);
});

describe("the form says in both languages why a refund is refused:", () => {
  const scene = new RefundScene(service, merchant, rows);
  const refused = async (id: string, form: object = {}): Promise<string[]> => {
    const owner = await client("owner");
    const page = `/console/test/payments/${id}/refund`;
    const texts: string[] = [];
    for (const language of ["pt-BR", "en"]) {
      owner.cookies.set("paylink_language", language);
      const { statusCode, body } = await owner.post(page, page, { password: PASSWORD, ...form });
      expect(statusCode).toBe(422);
      texts.push(body.replaceAll(/<[^>]*>|\s+/g, " ").replaceAll(/[\u00A0\u202F]/g, " "));
    }
    return texts;
  };
  const expectTexts = (found: readonly string[], ...texts: readonly [string, string]) => {
    for (const [index, text] of texts.entries()) expect(found[index]).toContain(text);
  };

  test("more than is left, with what is left", async () => {
    const { id } = (await merchant.pay()).body;
    await scene.refund(id, { amount: 5000 });
    const texts = await refused(id, { amount: "159,90" });
    expectTexts(texts, "Restam R$ 109,90 para devolver.", "R$109.90 is left to refund.");
  });

  test("nothing is left", async () => {
    const { id } = (await merchant.pay()).body;
    await scene.refund(id);
    expectTexts(await refused(id), "Não resta nada para devolver", "Nothing is left to refund");
  });

  test("the payment did not succeed", async () => {
    const { id } = (await merchant.pay({}, { outcome: "failed" })).body;
    expectTexts(
      await refused(id),
      "Só se devolve um pagamento que foi pago",
      "Only a payment that succeeded",
    );
  });

  test("it is a bank transfer", async () => {
    const texts = await refused(await scene.paidByTransfer());
    expectTexts(
      texts,
      "Uma transferência (TED) não se devolve aqui",
      "A bank transfer (TED) is not refunded",
    );
  });

  test("the reason reads as a card number", async () => {
    const { id } = (await merchant.pay()).body;
    const texts = await refused(id, { reason: "4111 1111 1111 1111" });
    expectTexts(texts, "Parece um número de cartão", "It reads as a card number");
  });

  test("its period is over", async () => {
    const { id } = (await merchant.pay()).body;
    service.clock.advance(90 * 86_400 + 1);
    const texts = await refused(id);
    expectTexts(texts, "O pagamento tem mais de 90 dias", "The payment is more than 90 days old");
  });
});

describe("money that could not become a payment", () => {
  const scene = new RefundScene(service, merchant, rows);
  const pageOf = ({ id, paymentId }: { id: string; paymentId: string }) =>
    `/console/test/payments/${paymentId}/exceptions/${id}/refund`;

  test.each(["finance", "owner"] as const)(
    "is given back by %s in parts, from the page that lists it",
    async (role) => {
      const by = await client(role);
      const exception = await scene.lateMoney();
      const [page, payment] = [pageOf(exception), `/console/test/payments/${exception.paymentId}`];
      for (const lists of [payment, "/console/test/payments/exceptions"]) {
        expect((await by.get(lists)).body).toContain(page);
      }
      expect((await by.get(`${page}?lang=en`)).body).toContain("Refund money without a payment");
      expect((await by.post(page, page, { amount: "50,00" })).statusCode).toBe(422);
      const first = await by.post(page, page, {
        amount: "50,00",
        reason: "Chegou tarde",
        password: PASSWORD,
      });
      expect([first.statusCode, first.headers.location]).toEqual([303, `${payment}?done=refunded`]);
      for (const [language, text] of [
        ["pt-BR", "Restam R$ 109,90 para devolver."],
        ["en", "R$109.90 is left to refund."],
      ] as const) {
        by.cookies.set("paylink_language", language);
        const much = await by.post(page, page, {
          amount: language === "en" ? "159.90" : "159,90",
          password: PASSWORD,
        });
        expect([much.statusCode, much.body.replaceAll(/[\u00A0\u202F]/g, " ")]).toEqual([
          422,
          expect.stringContaining(text),
        ]);
      }
      expect((await by.post(page, page, { password: PASSWORD })).statusCode).toBe(303);
      const { body } = await by.get(payment);
      expect(body).not.toContain(page);
      expect((await by.post(page, page, { password: PASSWORD })).body).toContain("Nothing is left to refund");
      const sum = "SELECT sum(amount_minor)::int AS sum FROM test.refund WHERE exception_id = $1";
      expect(await rows.read(sum, [exception.id])).toEqual([{ sum: 15_990 }]);
    },
  );

  test("is not offered to a developer and a viewer, and is unknown under another payment", async () => {
    const exception = await scene.lateMoney();
    for (const role of ["developer", "viewer"] as const) {
      const other = await client(role);
      expect((await other.get("/console/test/payments/exceptions")).body).not.toContain("/refund");
      expect((await other.get(pageOf(exception))).statusCode).toBe(403);
    }
    const { id: paymentId } = (await merchant.pay()).body;
    expect((await (await client("owner")).get(pageOf({ ...exception, paymentId }))).statusCode).toBe(404);
  });
});

test("a developer and a viewer are not offered it", async () => {
  const { id } = (await merchant.pay()).body;
  for (const role of ["developer", "viewer"] as const) {
    const other = await client(role);
    expect((await other.get(`/console/test/payments/${id}`)).body).not.toContain("/refund");
    expect((await other.get(`/console/test/payments/${id}/refund`)).statusCode).toBe(403);
  }
});
