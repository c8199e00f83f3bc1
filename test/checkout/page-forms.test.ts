import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { PageCaller } from "./page-caller.ts";

const { service, rows, get, post, submit, opened } = await forFile(PageCaller.start());

describe("a form", () => {
  test.each([
    [{ way: "pix-2" }, 303],
    [{ way: "card-99", card_token: "tok_approved" }, 303],
    [{ way: "__proto__" }, 303],
    [{}, 422],
    [{ way: "pix-1", card_number: "4111111111111111" }, 422],
    ["way=pix-1&way=card-1", 303],
    ["way[]=pix-1", 422],
    ["__proto__=1&constructor=2&way=pix-1&card_token=x", 422],
    ["x".repeat(17_000), 413],
  ])("%j is answered %i", async (form, status) => {
    const path = await opened();
    const before = await rows.count("test.payment");
    const answer = await post(`${path}/payments`, form);
    expect(answer.statusCode).toBe(status);
    expect(answer.body).not.toMatch(/4111111111111111|stack|Error/);
    expect(await rows.count("test.payment")).toBe(before);
  });

  test("something like a card number in any field is refused, is not shown again and not kept", async () => {
    const number = "4111111111111111";
    const path = await opened({ payment_methods: ["card"], max_installments: 1 });
    const before = await rows.countAll("test");
    const answer = await submit(`${path}/payments`, { way: "card-1", card_token: number });
    expect(answer.body).toContain("Não digite números de cartão");
    expect(answer.body).not.toContain(number);
    expect(await rows.countAll("test")).toEqual(before);
  });

  test("card numbers in several fields are told in each, and none is shown again", async () => {
    const path = await opened({ payment_methods: ["pix"], collect_fields: ["phone", "address"] });
    const number = "4111 1111 1111 1111";
    const typed = { way: "pix-1", phone: number, street: number, city: "Santos", postal_code: "11010-000" };
    const { body } = await submit(`${path}/payments`, typed);
    const told = [...body.matchAll(/id="(\w+)_problem">Não digite números de cartão/g)].map(
      ([, name]) => name,
    );
    expect(told).toEqual(["phone", "street"]);
    expect(body).not.toMatch(/4111|1111 1111/);
    expect(body).toMatch(/id="city"[^>]*value="Santos"/);
  });

  test.each([
    ["PUT", "", "GET, HEAD"],
    ["POST", "", "GET, HEAD"],
    ["DELETE", "/payments", "GET, HEAD, POST"],
    ["PATCH", "/status", "GET, HEAD"],
  ] as const)("%s%s is 405, with what is allowed", async (method, step, allow) => {
    const answer = await service.gateway.inject({ method, url: `${await opened()}${step}` });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  test.each(["/payments", "/refresh", "/simulate"])("%s read by GET leads back to the page", async (step) => {
    const path = await opened();
    expect(await get(`${path}${step}`)).toMatchObject({ statusCode: 303, headers: { location: path } });
  });

  test("HEAD is answered as GET, without a body", async () => {
    const answer = await service.gateway.inject({ method: "HEAD", url: await opened() });
    expect(answer).toMatchObject({ statusCode: 200, body: "" });
  });

  test("of JSON is refused", async () => {
    const path = await opened();
    const answer = await service.gateway.inject({
      method: "POST",
      url: `${path}/payments`,
      payload: { way: "pix-1" },
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.body).toContain("não pôde ser lido");
  });

  test("that is answered by a page keeps the link to the other language", async () => {
    const path = await opened({ fee_handling: "pass_through" });
    const answer = await submit(`${path}/payments`, { way: "pix-1" });
    const [, href = ""] = /class="language"[^>]*href="([^"]+)"/.exec(answer.body) ?? [];
    expect((await get(href.replaceAll("&amp;", "&"))).body).toContain("<title>Total to pay</title>");
  });

  test("tells every wrong field at once, each with what is wrong in it", async () => {
    const path = await opened({
      payment_methods: ["pix"],
      collect_fields: ["phone", "address"],
      fee_handling: "pass_through",
    });
    const typed = { way: "pix-1", phone: "123", postal_code: "0131", number: "", district: "Sé", state: "" };
    const { body } = await submit(`${path}/payments`, {
      ...typed,
      street: "Rua A",
      city: " \u200b",
    });
    const problems = [...body.matchAll(/id="(\w+)_problem">([^<]*)</g)].map(([, name, text]) => [name, text]);
    expect(Object.fromEntries(problems)).toEqual({
      phone: "Este telefone não existe. Escreva com DDD, como (11) 91234-5678.",
      postal_code: "O CEP tem 8 dígitos, como 01310-100.",
      number: "Preencha este campo.",
      city: "Preencha este campo.",
      state: "Preencha este campo.",
    });
    expect([...body.matchAll(/<li><a href="#(\w+)"/g)].map(([, name]) => name)).toEqual([
      "phone",
      "postal_code",
      "number",
      "city",
      "state",
      "acknowledged_total",
    ]);
    expect(body).toContain("Confirme que está ciente da tarifa e do total.");
    expect(body).toMatch(/id="street"[^>]*value="Rua A"/);
  });

  test("opens the keyboard of what is typed", async () => {
    const link = { payment_methods: ["card"], max_installments: 1, collect_fields: ["phone", "address"] };
    const { body } = await get(`${await opened(link)}?way=card-1`);
    const numeric = ["postal_code", "card_number", "card_expiry", "card_cvv"];
    for (const [id, keyboard] of [["phone", "tel"], ...numeric.map((name) => [name, "numeric"])])
      expect(body).toMatch(new RegExp(`<input[^>]*id="${id}"[^>]*inputmode="${keyboard}"`));
  });

  test("with a field longer than the core takes names that field", async () => {
    const path = await opened({ payment_methods: ["pix"], collect_fields: ["address"] });
    const answer = await submit(`${path}/payments`, {
      way: "pix-1",
      postal_code: "01310100",
      number: "1".repeat(21),
    });
    expect(answer.body).toMatch(/<input[^>]*id="number"[^>]*aria-invalid="true"/);
  });
});
