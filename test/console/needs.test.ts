import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CONSOLE_ROUTES } from "../../gateway/console/app.ts";
import type { RoleName } from "../../contract/roles.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { ok } from "../support/receiver.ts";
import { PAGE, WebhookPages } from "./webhook-pages.ts";

const DAY_MS = 86_400_000;
const UNCONNECTED = "Os links de produção ainda não podem ser pagos";

const pages = await WebhookPages.forFile();
const { service, receiver, by } = pages;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const userOf = async ({ tenant }: Merchant, role: RoleName) =>
  new ConsoleClient(service, await createUser(service, tenant.id, role));

describe("what needs a person", () => {
  test("an endpoint is named with its rate from its first failure on, until it receives again", async () => {
    const { id, page } = await pages.newEndpoint();
    receiver.answer((_received, response) => void response.writeHead(500).end());
    await pages.tested(page);
    const text = "não está recebendo. Tentativas sem sucesso nas últimas 24 horas: 1 de 1";
    const home = async () => (await by.get("/console/test")).body;
    expect(await home()).toContain(text);
    expect(await home()).toContain(`/webhooks/endpoints/${id}`);
    for (const path of [PAGE, "/console/test"]) {
      expect((await by.get(path)).body).toContain('<span class="badge bad">falhas: 1 de 1</span>');
    }
    expect(await home()).toContain('<rect class="series-0" width="0"');
    receiver.answer(ok);
    await pages.tested(page);
    expect(await home()).not.toContain("não recebe");
    for (const path of [PAGE, "/console/test"]) {
      expect((await by.get(path)).body).toContain('<span class="badge warn">falhas: 1 de 2</span>');
    }
    expect(await home()).toContain('<rect class="series-0" width="50"');
  });

  test("all days with payments wait for their seal, however old they are, and days without do not", async () => {
    const merchant = await createMerchant(service);
    const owner = await userOf(merchant, "owner");
    const days = [3, 4, 5, 20, 21, 22, 40, 400].map((age) => new Date(Date.now() - age * DAY_MS));
    for (const day of days) {
      await insertPayments(rows, merchant.tenant.id, randomPayments(2, day, new Date(day.getTime() + 2000)));
    }
    const waiting = async () => /Dias a fechar: \d+/.exec((await owner.get("/console/test")).body)?.[0];
    expect(await waiting()).toBe("Dias a fechar: 8");
    const { days: open, dayCount } = await merchant.ledger.listOpenDays({ limit: 2 }, merchant.as);
    expect([open.length, dayCount]).toEqual([2, 8]);
    const [oldest = ""] = open;
    await merchant.ledger.sealDay({ day: oldest }, merchant.as);
    expect(await waiting()).toBe("Dias a fechar: 7");
    const { body } = await owner.get(`/console/test/close?month=${oldest.slice(0, 7)}`);
    expect(body).toContain("sem pagamentos");
    expect(body).not.toContain('class="badge warn"');
    expect((await (await userOf(merchant, "viewer")).get("/console/test")).body).not.toContain(
      "Dias a fechar",
    );
  });

  test("a rate that is too old is said at home", async () => {
    const merchant = await createMerchant(service);
    const viewer = await userOf(merchant, "viewer");
    const pricing = createClient(PricingService, service.core.transport);
    const publish = async (maxAgeSeconds: bigint) =>
      await pricing.publishFxRate(
        { mode: Mode.TEST, spotMicros: 5_500_000n, maxAgeSeconds },
        service.internal,
      );
    await publish(60n);
    expect((await viewer.get("/console/test")).body).not.toContain("velho demais");
    service.clock.advance(61);
    expect((await viewer.get("/console/test")).body).toContain("velho demais");
    await publish(31_536_000n);
  });
});

test("live mode without an account says so on every page that makes a link, and on no other", async () => {
  const merchant = await createMerchant(service, {}, "live");
  const owner = await userOf(merchant, "owner");
  const says = async (path: string) => (await owner.get(`/console/${path}`)).body.includes(UNCONNECTED);
  const id = await merchant.newLink();
  const quote = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  const { body: open } = await merchant.api.post("/v1/quotes", quote);
  const examples: Record<string, string> = {
    "/links/:id": id,
    "/links/:id/edit": id,
    "/links/:id/share": id,
    "/quotes/:id": open.id,
  };
  const makers = CONSOLE_ROUTES.filter(
    ({ kind, path }) => kind === "page" && /^\/(links|quotes)\b/.test(path),
  )
    .filter(({ path }) => !/\.\w+$|\/prices$/.test(path))
    .map(({ path }) => `live${path.replace(":id", examples[path] ?? ":id")}`);
  expect(makers.length).toBeGreaterThanOrEqual(8);
  for (const path of ["live", `live/links/new?copy=${id}`, ...makers]) {
    expect([path, await says(path)]).toEqual([path, true]);
  }
  // The forms that were sent: the link's page comes with it, and so do a file's rows and what is refused.
  const file = { name: "links.csv", content: Buffer.from("amount,currency\n10.00,BRL\n") };
  const page = "/console/live/links/import";
  const form = { form_token: await owner.formToken(page), form_id: crypto.randomUUID() };
  const sent = [
    await owner.post("/console/live/links/new", "/console/live/links/new", { amount: "x" }),
    await owner.upload(page, form, {}, file),
    await owner.post("/console/live/quotes/new", "/console/live/quotes/new", { amount: "x" }),
  ];
  expect(sent.map(({ body }) => body.includes(UNCONNECTED))).toEqual([true, true, true]);
  for (const path of ["test", "test/links/new", "test/quotes/new", "live/keys"]) {
    expect([path, await says(path)]).toEqual([path, false]);
  }
});

test("the first steps are ticked as they are done, in both environments, and go with the first live payment", async () => {
  const merchant = await createMerchant(service);
  const owner = await userOf(merchant, "owner");
  const steps = async (mode: string) => {
    const { body } = await owner.get(`/console/${mode}`);
    return [body.includes("Primeiros passos"), body.split(">Feito</span>").length - 1];
  };
  expect(await steps("test")).toEqual([true, 0]);
  await merchant.pay();
  for (const mode of ["test", "live"]) expect(await steps(mode)).toEqual([true, 2]);
  const paid = randomPayments(50, new Date(Date.now() - DAY_MS), new Date()).find(
    ({ status }) => status === "succeeded",
  );
  if (!paid) throw new Error("none succeeded");
  await insertPayments(rows, merchant.tenant.id, [paid], "live");
  for (const mode of ["test", "live"]) expect(await steps(mode)).toEqual([false, 0]);
});
