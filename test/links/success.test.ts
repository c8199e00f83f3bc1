import { describe, expect, test } from "vitest";
import { asUser, auditEntriesBy } from "../support/audit.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const { api } = merchant;

const LEAST = { amount: 5000, currency: "BRL" };
const GIVEN = { success_url: "https://shop.example/thanks?order=7", success_message: "Obrigada!\nAté logo." };
const CARD = "4111 1111 1111 1111";
/** Ways in which each request may give the two keys. */
const quote = async (): Promise<string> =>
  (await api.post("/v1/quotes", { ...LEAST, payment_method: "pix" })).body.id;
const WAYS = {
  create: async (more: object) => await api.post("/v1/payment_links", { ...LEAST, ...more }),
  accept: async (more: object) =>
    await api.post(`/v1/quotes/${await quote()}/accept`, { name: "Shoes", ...more }),
  update: async (more: object) => await api.post(`/v1/payment_links/${await merchant.newLink(GIVEN)}`, more),
};
const read = async (id: string) => (await api.get(`/v1/payment_links/${id}`)).body;

describe.each(Object.entries(WAYS))("success_url and success_message, to %s a link", (way, send) => {
  test("are answered and read as they were sent", async () => {
    const sent = { success_url: "https://loja.example/obrigado", success_message: "<b>Obrigado</b>" };
    const { body } = await send(sent);
    expect(body).toMatchObject(sent);
    expect(await read(body.id)).toMatchObject(sent);
  });

  test("are in no answer where they are not given", async () => {
    const { body } = await send(way === "update" ? { success_url: "", success_message: "" } : {});
    for (const answer of [body, await read(body.id)]) {
      expect(Object.keys(answer).filter((key) => key.startsWith("success"))).toEqual([]);
    }
  });

  test.each([
    ["success_url", "http://shop.example/thanks"],
    ["success_url", "javascript:alert(1)"],
    ["success_url", "https://"],
    ["success_url", "https://user@shop.example"],
    ["success_url", "https://shop.example\t/thanks"],
    ["success_url", `https://shop.example/${"x".repeat(2048)}`],
    ["success_url", `https://shop.example/${CARD.replaceAll(" ", "-")}`],
    ["success_message", "x".repeat(501)],
    ["success_message", `Paid by ${CARD}`],
  ])("400 invalid_request on %s: %s", async (param, text) => {
    expectError(await send({ [param]: text }), { param });
  });
});

test("an update of one of them leaves the other, and the audit log has the former one", async () => {
  const id = await merchant.newLink(GIVEN);
  const change = { id, successMessage: "Valeu!" };
  const entries = await auditEntriesBy(service, merchant.tenant.id, async () => {
    await merchant.links.updatePaymentLink(change, asUser(merchant.as));
  });
  expect(entries[0]?.details?.["before"]).toEqual({ success_message: GIVEN.success_message });
  expect(await read(id)).toMatchObject({ ...GIVEN, success_message: "Valeu!" });
});

test.each(["success_url", "success_message"])(
  "400 invalid_request on an empty %s of a new link",
  async (param) => {
    expectError(await WAYS.create({ [param]: "" }), { param });
  },
);
