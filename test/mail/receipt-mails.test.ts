import { expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { asUser } from "../support/audit.ts";
import { FORM } from "../checkout/page-caller.ts";
import { advance, connectMerchant, startLive } from "../provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { Payer } from "../support/payer.ts";
import { smtpForFile } from "../support/smtp.ts";

const PAGE = "https://pay.shop.example";
const BUTTON = "Enviar comprovante";

const { receiver, config } = await smtpForFile();
const live = await forFile(startLive({ mail: config, checkoutBase: PAGE }));
const { service, bank } = live;
const { gateway } = service;
const merchant = await connectMerchant(live);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** Returns the path of a session of live mode, paid or not. */
const opened = async (link: object = {}, isPaid = true) => {
  const linkId = await merchant.newLink({ payment_methods: ["pix"], ...link });
  const payer = new Payer(service, linkId);
  await payer.open();
  const { paymentId } = await payer.start();
  if (isPaid) {
    bank.pay(paymentId.replace("_", ""), 15_990n);
    advance(live, 60);
    await service.core.tasks.checkCharges();
  }
  return { path: `/pay/${linkId}/${payer.sessionId}`, paymentId };
};
const read = async (url: string, cookie = "") => (await gateway.inject({ url, headers: { cookie } })).body;
/** Sends the form as a browser does. Returns the status and address of its answer, and the page to which it leads. */
const send = async (path: string, email: string, language = "pt-BR", to = gateway) => {
  const headers = { ...FORM, "accept-language": language };
  const payload = new URLSearchParams({ email }).toString();
  const answer = await to.inject({ method: "POST", url: `${path}/receipt`, headers, payload });
  const location = String(answer.headers.location);
  const cookie = [answer.headers["set-cookie"] ?? []]
    .flat()
    .map((one) => one.split(";")[0])
    .join("; ");
  const page = (await to.inject({ url: location, headers: { cookie, "accept-language": language } })).body;
  return { status: answer.statusCode, location, page };
};
const round = async (): Promise<void> => {
  advance(live, 60);
  await service.core.tasks.sendMail();
};
const plain = (text = "") => text.replaceAll(/[\u00A0\u202F]/g, " ");

test("a receipt goes to the address that its payer gives, in their language, with nothing that is not on it", async () => {
  const { path, paymentId } = await opened({ description: "Bolo\nde cenoura", reference: "pedido-1042" });
  expect(await read(path)).toContain(BUTTON);
  const { status, location, page } = await send(path, " Ana@shop.example ");
  expect([status, location]).toEqual([303, `${path}?receipt=sent#mail`]);
  expect(textOf(page)).toContain("O comprovante está a caminho do seu e-mail.");
  expect(page).not.toContain("Ana@");
  await send(path, "bob@shop.example", "en");
  await round();
  const [ana, bob] = [receiver.to("Ana@shop.example"), receiver.to("bob@shop.example")];
  expect([ana.length, bob.length]).toEqual([1, 1]);
  expect(plain(ana[0]?.parsed.subject)).toBe("Comprovante: R$ 159,90 para Test");
  expect(plain(bob[0]?.parsed.subject)).toBe("Receipt: R$159.90 to Test");
  const text = plain(ana[0]?.parsed.text);
  // It is read in other years too.
  expect(text).toMatch(/ em \d\d\/\d\d\/\d{4} às /);
  for (const part of [
    "Você pagou R$ 159,90 para Test em",
    "\nBolo de cenoura\n",
    paymentId,
    `\n${PAGE}${path}\n`,
  ]) {
    expect(text).toContain(part);
  }
  expect(ana[0]?.parsed.html).toBe(false);
  // Nothing of the addresses stays, in any table.
  const dump = await rows.read("SELECT row_to_json(m) AS row FROM identity.mail m");
  expect(dump).toEqual([]);
  const kept = await rows.read(
    `SELECT c::text AS row FROM live.charge c WHERE payment_id = $1
      UNION ALL SELECT a::text FROM identity.audit_entry a WHERE tenant_id = $2`,
    [paymentId, merchant.tenant.id],
  );
  expect(JSON.stringify(kept)).not.toMatch(/shop\.example/i);
});

test("an e-mail that a person of ours sends for a payer is in the audit log, without the address", async () => {
  const { path, paymentId } = await opened();
  const [, , linkId = "", sessionId = ""] = path.split("/");
  const checkout = createClient(CheckoutService, service.core.transport);
  await checkout.sendReceipt({ linkId, sessionId, email: "eva@shop.example" }, asUser(merchant.as));
  const entries = await rows.read(
    "SELECT object_id, details::text FROM identity.audit_entry WHERE action = $1",
    ["SendReceipt"],
  );
  expect(entries).toMatchObject([{ object_id: paymentId }]);
  expect(JSON.stringify(entries)).not.toContain("eva@");
  await round();
});

test("one payment's receipt is sent three times at most, also by forms that are sent at once", async () => {
  const { path } = await opened();
  const all = await Promise.all(["a", "b", "c", "d", "e"].map((name) => send(path, `${name}@flood.example`)));
  const words = all.map(({ location }) => location.split(/[=#]/)[1] ?? "").toSorted();
  expect(words).toEqual(["full", "full", "sent", "sent", "sent"]);
  expect((await send(path, "a@flood.example")).page).toContain("já foi enviado três vezes");
  await round();
  expect(
    receiver.mails.flatMap(({ recipients }) => recipients).filter((to) => to.endsWith("@flood.example")),
  ).toHaveLength(3);
});

test.each([
  ["what is no address", "ana@shop", "ana@shop"],
  ["two addresses", "a@wrong.example,b@wrong.example", "a@wrong.example,b@wrong.example"],
  ["a header", "a@wrong.example\r\nBcc: b@wrong.example", "Bcc: b@wrong.example"],
  ["an address that is too long", `${"a".repeat(250)}@wrong.example`, "@wrong.example"],
])("%s is refused beside the field, which keeps it, and nothing is sent", async (_, email, kept) => {
  const { path, paymentId } = await opened();
  const { status, location, page } = await send(path, email);
  expect([status, location]).toEqual([303, `${path}?receipt=wrong#mail`]);
  expect(page).toMatch(/aria-describedby="email_help email_problem"\s+aria-invalid="true"/);
  expect(page).toContain(kept);
  expect(await rows.count("identity.mail")).toBe(0);
  const [charge] = await rows.read("SELECT receipt_mail_count FROM live.charge WHERE payment_id = $1", [
    paymentId,
  ]);
  expect(charge).toEqual({ receipt_mail_count: null });
});

test("a number that reads as a card's is not shown again", async () => {
  const { path } = await opened();
  expect((await send(path, "4111 1111 1111 1111")).page).not.toContain("4111");
});

test("no receipt is sent of a payment that is not paid, of another link, or in test mode", async () => {
  const unpaid = await opened({}, false);
  const other = await opened();
  const tester = await createMerchant(service);
  const linkId = await tester.newLink({ payment_methods: ["pix"] });
  const payer = new Payer(service, linkId);
  await payer.payByPix();
  const inTest = `/pay/${linkId}/${payer.sessionId}`;
  expect(await read(inTest)).not.toContain(BUTTON);
  const mixed = `${unpaid.path.split("/").slice(0, 3).join("/")}/${other.path.split("/")[3]}`;
  for (const path of [unpaid.path, mixed, inTest]) await send(path, "a@none.example");
  await round();
  expect(receiver.to("a@none.example")).toEqual([]);
});

test("a page offers no e-mail where none is sent", async () => {
  const silent = await forFile(startLive());
  const seller = await connectMerchant(silent);
  const { payer, reference, paymentId } = await seller.start();
  silent.bank.pay(reference, 15_990n);
  advance(silent, 60);
  await silent.service.core.tasks.checkCharges();
  expect(await seller.status(paymentId)).toBe("succeeded");
  expect((await payer.page()).sendsReceipts).toBe(false);
});
