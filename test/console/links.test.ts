import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { textOf } from "../support/page-text.ts";
import { LinkPages, LIST, NEW } from "./link-pages.ts";

const links = await LinkPages.forFile();
const { service, merchant, owner } = links;

describe("a link's page", () => {
  test("shows its sessions, payments with their stored values and events", async () => {
    const { id } = await links.create({ amount: "159,90", campaign: "yes" });
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

  test("does not say that no one opened it where it has a payment without a session", async () => {
    const { id } = await links.create({ amount: "10" });
    const form = { outcome: "succeeded", payment_method: "pix" };
    await owner.post(`${LIST}/${id}`, `${LIST}/${id}/simulate`, form);
    const page = textOf((await owner.get(`${LIST}/${id}`)).body);
    expect(page).toContain("R$ 10,00");
    expect(page).not.toContain("Ninguém abriu");
  });

  test("deactivates it", async () => {
    const { id } = await links.create({ amount: "10" });
    const path = `${LIST}/${id}`;
    expect(textOf((await owner.get(path)).body)).toContain("Envie o endereço ao pagador");
    const canceled = await owner.post(path, `${path}/cancel`);
    expect(canceled.headers.location).toBe(`${path}?done=cancel`);
    const { body } = await owner.get(path);
    expect(textOf(body)).toContain("Desativado");
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
    const own = await links.create({ amount: "10" });
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
  const refused = await links.create({ ...typed, amount: HOSTILE });
  const { answer, id } = await links.create(typed);
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
  const { id } = await links.create({ amount: "10" });
  const { body, statusCode } = await viewer.get(`${LIST}/${id}`);
  expect(statusCode).toBe(200);
  for (const part of ["/cancel", "/simulate", "/links/new"]) expect(body).not.toContain(part);
  expect((await viewer.get(NEW)).statusCode).toBe(403);
  expect((await viewer.get(`${LIST}/prices?amount=10`)).statusCode).toBe(403);
  for (const action of [NEW, `${LIST}/${id}/cancel`, `${LIST}/${id}/simulate`])
    expect((await viewer.post(LIST, action, { amount: "10" })).statusCode).toBe(403);
  expect((await links.read(id)).paymentLink?.status).toBe(1);
});
