import { expect, test } from "vitest";
import {
  advance,
  connectMerchant,
  startLive,
  type LiveMerchant,
} from "../provider-accounts/live-merchant.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { smtpForFile, type ReceivedMail } from "../support/smtp.ts";

const CONSOLE = "https://pay.shop.example/console";
const ACCOUNT = "/console/live/account";
const DAY_SECONDS = 86_400;

const { receiver, config } = await smtpForFile();
const live = await forFile(startLive({ mail: config, consoleUrl: CONSOLE }));
const { service, bank } = live;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const mailsOf = ({ email }: TestUser): ReceivedMail[] => receiver.to(email);

const turn = async (user: TestUser, on: boolean, language = "pt-BR") => {
  const by = new ConsoleClient(service, user);
  const page = `${ACCOUNT}?lang=${language}`;
  await by.post(page, `${ACCOUNT}/payment-mails`, { on: String(on) }, { "accept-language": language });
  return (await by.get(page)).body;
};

const pay = async (merchant: LiveMerchant, link: object = {}): Promise<string> => {
  const { paymentId, reference } = await merchant.start(link);
  bank.pay(reference, 15_990n);
  advance(live, 60);
  await service.core.tasks.checkCharges();
  expect(await merchant.status(paymentId)).toBe("succeeded");
  return paymentId;
};

async function round(seconds = 60): Promise<void> {
  advance(live, seconds);
  await service.core.tasks.writePaymentMails();
  await service.core.tasks.sendMail();
}

const plain = (text = "") => text.replaceAll(/[\u00A0\u202F]/g, " ");

test("each payment that succeeds is one e-mail to who wished it, in their language, and to nobody else", async () => {
  const merchant = await connectMerchant(live);
  const [owner, finance, viewer] = [
    await createUser(service, merchant.tenant.id, "owner"),
    await createUser(service, merchant.tenant.id, "finance"),
    await createUser(service, merchant.tenant.id, "viewer"),
  ];
  await pay(merchant);
  const page = (await new ConsoleClient(service, owner).get(ACCOUNT)).body;
  expect(page).toContain("Desligado: os pagamentos de Test");
  expect(await turn(owner, true)).toContain("Ligado: cada pagamento");
  expect(await turn(viewer, true, "en")).toContain("On: each payment");
  advance(live, 60);
  const id = await pay(merchant, { description: "Bolo de cenoura" });
  for (let count = 0; count < 3; count += 1) await round();
  expect([owner, finance, viewer].map((user) => mailsOf(user).length)).toEqual([1, 0, 1]);
  const [{ parsed: portuguese } = { parsed: undefined }] = mailsOf(owner);
  expect(plain(portuguese?.subject)).toBe("Pix recebido: R$ 159,90 · Bolo de cenoura");
  expect(plain(portuguese?.text)).toContain("Test recebeu um pagamento de R$ 159,90 em");
  expect(portuguese?.text).toContain(`${CONSOLE}/live/payments/${id}\n`);
  expect(portuguese?.text).toContain(`${CONSOLE}/live/account`);
  expect(plain(mailsOf(viewer)[0]?.parsed.subject)).toBe("Pix received: R$159.90 · Bolo de cenoura");
  await turn(owner, false);
  await pay(merchant);
  await round();
  expect([owner, viewer].map((user) => mailsOf(user).length)).toEqual([1, 2]);
  expect(await rows.count("identity.payment_mail")).toBe(2);
  await round(DAY_SECONDS);
  await round();
  expect(await rows.count("identity.payment_mail")).toBe(0);
});

test("none is sent twice by several workers, and none is lost that is committed late or while none looks", async () => {
  const merchant = await connectMerchant(live);
  const owner = await createUser(service, merchant.tenant.id, "owner");
  await turn(owner, true);
  advance(live, 60);
  const first = await pay(merchant);
  // As a payment whose transaction ends after its time was looked at.
  const hidden = "UPDATE live.event SET type = $2 WHERE object_id = $1 AND type <> $2";
  await rows.run("ALTER TABLE live.event DISABLE TRIGGER USER");
  await rows.run(hidden, [first, "payment.fees_acknowledged"]);
  await round();
  expect(mailsOf(owner)).toEqual([]);
  await rows.run(hidden, [first, "payment.succeeded"]);
  await rows.run("ALTER TABLE live.event ENABLE TRIGGER USER");
  await round();
  expect(mailsOf(owner)).toHaveLength(1);
  await pay(merchant);
  advance(live, 3 * DAY_SECONDS);
  const { writePaymentMails } = service.core.tasks;
  await Promise.all([writePaymentMails(), writePaymentMails(), writePaymentMails()]);
  // A worker that ended after it took its readers: their lease is over, and nothing was written for them.
  await rows.run("UPDATE identity.payment_mail_reader SET look_at = '2020-01-01'");
  await Promise.all([writePaymentMails(), writePaymentMails()]);
  await service.core.tasks.sendMail();
  expect(mailsOf(owner)).toHaveLength(2);
  expect(new Set(mailsOf(owner).map(({ parsed }) => parsed.messageId)).size).toBe(2);
});

test("an account page offers no e-mails where none is sent", async () => {
  const silent = await forFile(startService());
  const { tenant } = await createMerchant(silent);
  const by = new ConsoleClient(silent, await createUser(silent, tenant.id, "owner"));
  expect((await by.get(ACCOUNT)).body).not.toContain("payment-mails");
});
