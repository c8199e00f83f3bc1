import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { PageCaller } from "./page-caller.ts";

const { service, merchant, rows, get, post, submit, opened } = await forFile(PageCaller.start());

const ASKED = { name: "required", email: "optional", tax_id: "optional" };
const LINK = { payment_methods: ["pix"], payer_fields: ASKED };
const PERSON = { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" };
const input = (body: string, id: string): string =>
  new RegExp(`<input[^>]*id="${id}"[^>]*>`).exec(body)?.[0] ?? "";

/** Returns what a session's newest payment keeps of its payer. */
async function keptOf(path: string) {
  const [row] = await rows.read(
    `SELECT payment_id AS "paymentId", sealed_payer AS "sealed" FROM test.charge WHERE session_id = $1
      ORDER BY number DESC LIMIT 1`,
    [path.split("/").at(-1)],
  );
  const client = createClient(CheckoutService, service.core.transport);
  const { payer } = await client.getPayerDetails({ paymentId: String(row?.["paymentId"]) }, merchant.as);
  return { payer, sealed: row?.["sealed"] as string | null };
}

test("the page asks for each detail in both languages, and says which may stay empty", async () => {
  const path = await opened(LINK);
  const { body } = await get(`${path}?way=pix-1`);
  for (const label of ["Nome completo<", "E-mail (opcional)<", "CPF ou CNPJ (opcional)<"])
    expect(body).toContain(`>${label}/label>`);
  const { body: english } = await get(`${path}?way=pix-1&lang=en`);
  for (const label of ["Full name<", "E-mail (optional)<", "CPF or CNPJ (optional)<"])
    expect(english).toContain(`>${label}/label>`);
  expect(input(body, "name")).toMatch(/autocomplete="name"[^]*required/);
  expect(input(body, "email")).toMatch(/type="email"[^]*autocomplete="email"/);
  for (const id of ["email", "document"]) expect(input(body, id)).not.toContain("required");
  // The provider's own demand is none of the merchant's.
  expect(body).not.toContain("O provedor do cartão");
});

test("the link's first page says that there is something to fill in before the code", async () => {
  const { body } = await get(`/pay/${await merchant.newLink(LINK)}`);
  expect(body).toMatch(/value="pix-1">\s*Pagar com Pix/);
});

test("a wrong detail is told beside its field, and all that was typed stays", async () => {
  const path = await opened(LINK);
  const typed = { way: "pix-1", name: "", email: "ana@", document: "529.982.247-24" };
  const { body } = await submit(`${path}/payments`, typed);
  const problems = [...body.matchAll(/id="(\w+)_problem">([^<]*)</g)].map(([, name, text]) => [name, text]);
  expect(Object.fromEntries(problems)).toEqual({
    name: "Preencha este campo.",
    email: "Este e-mail está incompleto. Escreva como ana@exemplo.com.br.",
    document: "Há um dígito errado neste CPF ou CNPJ. Confira os números.",
  });
  expect(input(body, "email")).toContain('value="ana@"');
  expect(input(body, "document")).toMatch(/value="529.982.247-24"[^]*aria-invalid="true"/);
});

test("what is given is kept encrypted, and what is left empty is not", async () => {
  const path = await opened(LINK);
  await post(`${path}/payments`, { way: "pix-1", ...PERSON, email: "" });
  const { payer, sealed } = await keptOf(path);
  expect(payer).toMatchObject({ name: "Ana Souza", document: "52998224725" });
  expect(payer?.email).toBeUndefined();
  expect(sealed).not.toMatch(/ana|souza|529982/i);
});

test("a payer who gives nothing that is optional pays, and nothing is kept", async () => {
  const path = await opened({ ...LINK, payer_fields: { email: "optional" } });
  expect((await get(`${path}?way=pix-1`)).body).toContain('id="email"');
  await post(`${path}/payments`, { way: "pix-1", email: "" });
  expect((await get(path)).body).toContain("pix_code");
  expect((await keptOf(path)).sealed).toBeNull();
});

test("a new code in one touch takes what was given, and asks for nothing that was left empty", async () => {
  const path = await opened(LINK);
  await post(`${path}/payments`, { way: "pix-1", ...PERSON, email: "" });
  await post(`${path}/simulate`, { action: "expire" });
  expect((await get(path)).body).toContain(`action="${path}/payments"`);
  await post(`${path}/payments`, { way: "pix-1" });
  expect((await keptOf(path)).payer).toMatchObject({ name: "Ana Souza", document: "52998224725" });
});
