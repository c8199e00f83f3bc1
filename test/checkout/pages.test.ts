import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { FORM, PageCaller } from "./page-caller.ts";

const { service, merchant, rows, get, post, opened } = await forFile(PageCaller.start());

describe("a page", () => {
  test("has a strict policy with nonces of its own, and is not kept", async () => {
    const link = await merchant.newLink();
    const [one, other] = [await get(`/pay/${link}`), await get(`/pay/${link}`)];
    const policy = String(one.headers["content-security-policy"]);
    const [, script = ""] = /script-src 'nonce-([0-9a-f]{32})'(;|$)/.exec(policy) ?? [];
    const [, style = ""] = /style-src 'nonce-([0-9a-f]{32})'(;|$)/.exec(policy) ?? [];
    for (const part of [
      "default-src 'none'",
      "img-src 'self' https:",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(one.body).toContain(`nonce="${script}"`);
    expect(one.body).toContain(`nonce="${style}"`);
    expect(other.headers["content-security-policy"]).not.toBe(policy);
    expect(one.body).not.toMatch(/ on\w+=|style=|javascript:/);
    expect(one.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
    });
    expect(one.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("loads its own files, each cacheable without end at an address of its content", async () => {
    const { body } = await get(`/pay/${await merchant.newLink()}`);
    for (const [, path = ""] of body.matchAll(/(?:href|src)="(\/pay\/assets\/[^"]+)"/g)) {
      const file = await get(path);
      expect(file.statusCode).toBe(200);
      expect(file.headers["cache-control"]).toContain("immutable");
    }
    expect([...body.matchAll(/(?:href|src)="(https?:)?\/\//g)]).toEqual([]);
  });

  test("is read by GET alone: however often, nothing is written", async () => {
    const path = await opened({ fee_handling: "pass_through" });
    await post(`${path}/payments`, { way: "pix-1" });
    const before = await rows.countAll("test");
    const link = path.split("/").slice(0, 3).join("/");
    for (const url of [
      link,
      path,
      `${path}?way=pix-1`,
      `${path}?choose=1`,
      `${path}/status`,
      `${path}/challenge`,
    ]) {
      expect((await get(url)).statusCode).toBeLessThan(400);
      await get(`${url}/sessions`);
      await get(`${url}/payments?way=pix-1`);
    }
    expect(await rows.countAll("test")).toEqual(before);
  });

  test.each(["en", "pt-BR"])("is in %s when asked, and remembers", async (language) => {
    const link = await merchant.newLink();
    const asked = await get(`/pay/${link}?lang=${language}`);
    expect(asked.body).toContain(`<html lang="${language}">`);
    const cookie = String(asked.headers["set-cookie"]).split(";")[0] ?? "";
    const other = language === "en" ? "pt-BR,pt;q=0.9" : "en-US,en;q=0.9";
    expect((await get(`/pay/${link}`, { cookie, "accept-language": other })).body).toContain(
      `<html lang="${language}">`,
    );
  });

  test.each([
    ["en-US,en;q=0.9,pt;q=0.8", "en"],
    ["pt-BR,en;q=0.9", "pt-BR"],
    ["fr,en;q=0.5", "en"],
    ["fr;q=1, pt;q=0.2, en;q=0.1", "pt-BR"],
    ["en;q=0", "pt-BR"],
    ["", "pt-BR"],
    [";;;,,q=", "pt-BR"],
  ])("Accept-Language %j is %s", async (accepted, language) => {
    const { body } = await get(`/pay/${await merchant.newLink()}`, { "accept-language": accepted });
    expect(body).toContain(`<html lang="${language}">`);
  });

  test.each([
    "/pay/x",
    "/pay/__proto__",
    "/pay/pl_01jd0000000000000000000000/cs_01jd0000000000000000000000",
    "/pay/%00",
    "/pay/..%2f..%2fetc",
    `/pay/${"x".repeat(4000)}`,
  ])("%s is unknown", async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toContain("Link não encontrado");
  });

  test.each(["/", ".", ")", ",", ").", "/.", "%E2%80%8B", "%EF%BB%BF", ".%E2%81%A0", "/%e2%80%8e", "%2F"])(
    "an address with %s behind it leads to its link",
    async (stray) => {
      const link = await merchant.newLink();
      for (const query of ["", "?lang=en"]) {
        const answer = await get(`/pay/${link}${stray}${query}`);
        expect([answer.statusCode, answer.headers["location"]]).toEqual([302, `/pay/${link}${query}`]);
      }
    },
  );

  test.each(["x", "-", "%20", "/x", "/%00", "%E2%80%8Bx"])(
    "%s behind a link's address is no part of one",
    async (text) => {
      expect((await get(`/pay/${await merchant.newLink()}${text}`)).statusCode).toBe(404);
    },
  );

  test("a session of another link, or of another merchant, is unknown", async () => {
    const [path, other] = [await opened(), await opened()];
    const mixed = `${path.split("/").slice(0, 3).join("/")}/${other.split("/")[3]}`;
    expect((await get(mixed)).statusCode).toBe(404);
    expect((await post(`${mixed}/payments`, { way: "pix-1" })).statusCode).toBe(404);
  });
});

describe("a payer who comes back", () => {
  const open = async (link: string, cookie = "") =>
    await service.gateway.inject({
      method: "POST",
      url: `/pay/${link}/sessions`,
      headers: { ...FORM, ...(cookie === "" ? {} : { cookie }) },
      payload: "",
    });
  const first = async (link: string) => {
    const { headers } = await open(link);
    return { path: String(headers.location), cookie: String(headers["set-cookie"]).split(";")[0] ?? "" };
  };

  test("is redirected to the open session, and nothing is written", async () => {
    const link = await merchant.newLink({ campaign: true });
    const { headers } = await open(link);
    const [cookie = "", ...attributes] = String(headers["set-cookie"]).split("; ");
    expect(attributes).toEqual(["Max-Age=34560000", `Path=/pay/${link}`, "HttpOnly", "SameSite=Lax"]);
    const before = await rows.countAll("test");
    expect((await open(link, cookie)).headers.location).toBe(headers.location);
    expect(await rows.countAll("test")).toEqual(before);
    await post(`${String(headers.location)}/payments`, { way: "pix-1" });
    expect((await open(link, cookie)).headers.location).toBe(headers.location);
  });

  test("after paying, past its time, from another link or with a made-up one begins anew", async () => {
    const link = await merchant.newLink({ campaign: true });
    const paid = await first(link);
    await post(`${paid.path}/payments`, { way: "pix-1" });
    await post(`${paid.path}/simulate`, { action: "approve" });
    const [elsewhere, late] = [await first(await merchant.newLink()), await first(link)];
    service.clock.advance(900);
    const unknown = `paylink_checkout=${late.path.split("/")[3]?.slice(0, -2)}00`;
    for (const cookie of [paid.cookie, elsewhere.cookie, late.cookie, unknown, "paylink_checkout=cs_%00"]) {
      const answer = await open(link, cookie);
      expect(answer.statusCode).toBe(303);
      expect([paid.path, elsewhere.path, late.path]).not.toContain(answer.headers.location);
    }
  });
});

describe("money that came in", () => {
  const reported = async (path: string, reference: string): Promise<string> => {
    const client = createClient(CheckoutService, service.core.transport);
    const receipt = { reference, amount: 15_990n, providerPaymentId: `E2E-${reference}` };
    await client.recordReceipt(receipt, service.internal);
    return (await get(path)).body;
  };
  const pending = async (link: string): Promise<[path: string, reference: string, cookie: string]> => {
    const { headers } = await post(`/pay/${link}/sessions`);
    const path = String(headers.location);
    await post(`${path}/payments`, { way: "pix-1" });
    const [, reference = ""] = /pix\/(pay[0-9a-z]{26})/.exec((await get(path)).body) ?? [];
    return [path, reference, String(headers["set-cookie"]).split(";")[0] ?? ""];
  };
  const headingOf = (body: string): string => /<h1[^>]*>([^<]*)</.exec(body)?.[1] ?? "";

  test("for a link that another payer paid first is shown", async () => {
    const link = await merchant.newLink();
    const [first, firstReference] = await pending(link);
    const [second, secondReference, cookie] = await pending(link);
    expect(await reported(first, firstReference)).toContain("Pagamento confirmado");
    for (const waiting of [(await get(second)).body, (await get(`/pay/${link}`, { cookie })).body]) {
      expect(headingOf(waiting)).toBe("Este link já foi pago");
      expect(waiting).toContain("Não pague mais o código Pix que você recebeu aqui.");
      expect(waiting).not.toMatch(/Total a pagar|O preço mostrado é o preço cobrado/);
    }
    expect((await get(`/pay/${link}`)).body).not.toContain("Não pague mais");
    const own = await reported(second, secondReference);
    for (const body of [own, (await get(`/pay/${link}`, { cookie })).body]) {
      expect(headingOf(body)).toBe("Este link já tinha sido pago");
      expect(body).toMatch(
        /O seu dinheiro chegou depois de outro pagamento\. Quem vende foi avisado e deve devolver R\$\s159,90 a você\./,
      );
      expect(body).not.toMatch(/expirou|Fazer outro pagamento/);
    }
    expect(headingOf((await get(second, { "accept-language": "en" })).body)).toBe(
      "This link had already been paid",
    );
  });

  test("late is shown, and the payer is not asked to pay again", async () => {
    const link = await merchant.newLink();
    const [path, reference, cookie] = await pending(link);
    await post(`${path}/simulate`, { action: "expire" });
    const own = await reported(path, reference);
    for (const page of [own, (await get(`/pay/${link}`, { cookie })).body]) {
      expect(headingOf(page)).toBe("O seu dinheiro não pôde ser usado");
      expect(page).toMatch(/neste pagamento\. Quem vende foi avisado e deve devolver R\$\s159,90 a você\./);
      expect(page).not.toMatch(/expirou|Nada foi cobrado|Tentar de novo|Ver os preços/);
    }
    // Who wants to pay the link all the same finds the way.
    for (const after of [0, 900]) {
      service.clock.advance(after);
      const [, again = ""] = /href="([^"]+)">Fazer outro pagamento/.exec((await get(path)).body) ?? [];
      expect(headingOf((await get(again, { cookie })).body)).toBe("Como você quer pagar?");
    }
  });

  test("while its code's time is over and its end unknown, the page asks not to pay again", async () => {
    const [path] = await pending(await merchant.newLink());
    service.clock.advance(901);
    const { body } = await get(path);
    expect(body).toContain("não pague de novo");
    expect(body).not.toContain("pix_code");
  });
});

test("a card whose holder must confirm says that first, and leads there before the total", async () => {
  const link = await merchant.newLink({ payment_methods: ["card"] });
  const { headers } = await post(`/pay/${link}/sessions`, { way: "card" });
  const [path = ""] = String(headers.location).split("?");
  await post(`${path}/payments`, { way: "card-1", card_token: "tok_challenge" });
  const { body } = await get(path);
  const main = body.slice(body.indexOf("<main"));
  expect(main).toMatch(/<h1[^>]*>[^<]*Confirme que é você/);
  const places = ["Confirme que é você", '/challenge"', "R$ 159,90"].map((part) =>
    main.replaceAll("\u00A0", " ").lastIndexOf(part),
  );
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
});

test("a live link shows that it cannot be paid yet", async () => {
  const live = await createMerchant(service, {}, "live");
  const { body } = await get(`/pay/${await live.newLink()}`);
  expect(body).toContain("ainda não pode ser pago");
  expect(body).not.toContain("<form");
  expect(body).not.toContain("Modo de teste");
});

test("collected fields are sealed, and in no event", async () => {
  const path = await opened({ payment_methods: ["pix"], collect_fields: ["phone"] });
  await post(`${path}/payments`, { way: "pix-1", phone: "11 91234-5678" });
  await post(`${path}/simulate`, { action: "approve" });
  expect(await rows.count("test.charge WHERE sealed_payer IS NOT NULL")).toBe(1);
  for (const table of ["charge", "event", "payment"]) {
    expect(await rows.count(`test.${table} t WHERE t::text LIKE '%91234%'`)).toBe(0);
  }
  expect(await rows.count("test.event WHERE convert_from(body, 'UTF8') LIKE '%91234%'")).toBe(0);
});
