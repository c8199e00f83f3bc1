import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { PASSWORD } from "../support/users.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank, service } = scene.live;
const merchant = await scene.merchant();
const owner = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
const PERIOD = "from=2026-01-01&to=2030-01-01";
const LIST = `/console/live/payments?${PERIOD}`;
const pageOf = (paymentId: string): string => `/console/live/payments/${paymentId}`;

/** Starts a payment whose payer gives these details. */
async function started(payer: object, fields: object = { name: "optional", tax_id: "optional" }) {
  const linkId = await merchant.newLink({
    payment_methods: ["pix"],
    payer_fields: fields,
    description: "Tênis",
  });
  const paying = new Payer(service, linkId);
  await paying.open();
  const { paymentId } = await paying.start({ payer });
  return { paymentId, reference: paymentId.replace("_", "") };
}
const debtors = (): unknown[] =>
  bank.requests.flatMap(({ call, text }) =>
    call === "createCharge" ? [(JSON.parse(text) as { devedor?: unknown }).devedor ?? null] : [],
  );

test("the name that the bank gives is shown as the bank's, finds the payment, and is erased with the rest", async () => {
  const { paymentId, reference } = await started({ name: "Ana Souza" });
  bank.pay(reference, 15_990n, undefined, "BEATRIZ LIMA");
  await scene.pass(60);
  const { body } = await owner.get(`${pageOf(paymentId)}?payer=show&lang=pt-BR`);
  expect(body).toMatch(/Nome<[^]*?Ana Souza[^]*?Nome informado pelo banco<[^]*?BEATRIZ LIMA/);
  for (const typed of ["beatriz", "souza", "ana lima"])
    expect((await owner.get(`${LIST}&q=${encodeURIComponent(typed)}`)).body).toContain(
      `title="${paymentId}"`,
    );
  const [row] = await scene.rows.read(
    "SELECT to_jsonb(c)::text AS text FROM live.charge c WHERE payment_id = $1",
    [paymentId],
  );
  expect(String(row?.["text"])).not.toMatch(/beatriz|lima|souza/i);
  const erase = `${pageOf(paymentId)}/erase-payer`;
  expect((await owner.post(erase, erase, { password: PASSWORD })).statusCode).toBe(303);
  expect((await owner.get(`${pageOf(paymentId)}?payer=show`)).body).not.toMatch(/BEATRIZ|Souza/);
  expect((await owner.get(`${LIST}&q=beatriz`)).body).not.toContain(`title="${paymentId}"`);
});

test("a payment whose payer gave nothing is named by the bank, and nothing of it is in the public answers", async () => {
  const { paymentId, reference } = await started({});
  bank.pay(reference, 15_990n, undefined, "Carlos Dias");
  await scene.pass(60);
  expect((await owner.get(pageOf(paymentId))).body).toContain("Tênis · Carlos D.");
  const client = createClient(CheckoutService, service.core.transport);
  const { payer, bankName } = await client.getPayerDetails({ paymentId }, merchant.as);
  expect([payer?.name, bankName]).toEqual([undefined, "Carlos Dias"]);
  expect(JSON.stringify((await merchant.api.get(`/v1/payments/${paymentId}`)).body)).not.toContain("Carlos");
});

test.each(["4111 1111 1111 1111", "linha\u0000dois", " \u200b"])(
  "a text that is no name is left out, and the money is taken: %j",
  async (text) => {
    const { paymentId, reference } = await started({});
    bank.pay(reference, 15_990n, undefined, text);
    await scene.pass(60);
    expect(await merchant.status(paymentId)).toBe("succeeded");
    expect(
      await scene.rows.count("live.charge WHERE payment_id = $1 AND sealed_payer IS NOT NULL", [paymentId]),
    ).toBe(0);
  },
);

test("the bank's charge has name and CPF or CNPJ where the payer gave both, and no debtor elsewhere", async () => {
  bank.requests.length = 0;
  await started({ name: "Ana Souza", document: "529.982.247-25" });
  await started({ name: "Loja Ltda", document: "11.222.333/0001-81" });
  await started({ name: "Loja Ltda", document: "12.ABC.345/01DE-35" });
  await started({ name: "Ana Souza" });
  expect(debtors()).toEqual([
    { cpf: "52998224725", nome: "Ana Souza" },
    { cnpj: "11222333000181", nome: "Loja Ltda" },
    null,
    null,
  ]);
});

test("a debtor that the bank refuses is left out, and the payer has the code", async () => {
  bank.requests.length = 0;
  bank.fail("createCharge", { kind: "text", status: 400, text: '{"title":"recusado"}' });
  const { paymentId } = await started({ name: "Ana Souza", document: "529.982.247-25" });
  expect(debtors()).toEqual([{ cpf: "52998224725", nome: "Ana Souza" }, null]);
  expect(await merchant.status(paymentId)).toBe("pending");
  expect(scene.faults).toEqual([]);
});
