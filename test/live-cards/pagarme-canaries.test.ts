import { expect, onTestFinished, test } from "vitest";
import { Canaries } from "../support/canaries.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { Fault } from "../support/provider/faults.ts";
import { startProcess } from "../support/process.ts";
import {
  cardToken,
  connectPagarme,
  FULL_PERSON,
  PAID_CARD,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const canaries = new Canaries();
const KEYS = { secretKey: `sk_${canaries.new("secret key")}`, publicKey: "pk_0123456789abcdef" };
const { address, ...texts } = FULL_PERSON;
const FORM = {
  ...texts,
  postal_code: address.postalCode,
  street: address.street,
  number: address.number,
  district: address.district,
  city: address.city,
  state: address.state,
};
for (const field of ["name", "document", "email", "phone", "street"] as const) {
  canaries.keep(`payer's ${field}`, FORM[field]);
  if (/^\d|^\+/.test(FORM[field])) canaries.keep(`${field}'s digits`, FORM[field].replaceAll(/\D/g, ""));
}

const cards = await forFile(startPagarmeService([{ ...KEYS, isAntifraudOn: true }]));
const { pagarme, providers } = cards;
const merchant = await connectPagarme(cards, KEYS);
const { pathname } = new URL(merchant.callbackUrl);
canaries.keep("callback's address", pathname.split("/").at(-1) ?? "");
const rows = await forFile(new DatabaseRows(cards.service.databaseUrl).open());

/** A refusal that repeats what it was asked with, as a provider's own message may. */
const echo = (token: string): Fault => ({
  kind: "text",
  status: 422,
  text: JSON.stringify({ message: `${token} of ${FORM.name}, ${FORM.document}, ${KEYS.secretKey}` }),
});

test("case 15: no secret, token or payer's data of Pagar.me is in any line or row, whatever Pagar.me answers", async () => {
  const folder = await makeDataFolder();
  onTestFinished(async () => await folder.remove());
  // The process has the time of the machine.
  pagarme.clock.set(new Date());
  const service = await startProcess(folder.path, {
    DATABASE_URL: cards.service.databaseUrl,
    DATA_KEY: DATA_KEY.toString("base64"),
    CORE_TOKEN,
    PAYLINK_SEED: "none",
    PROVIDER_ALLOW_LOOPBACK: "true",
    LOG_LEVEL: "trace",
  });
  onTestFinished(async () => void (await service.end("SIGKILL")));
  const send = async (path: string, headers: Record<string, string>, body: string | URLSearchParams) =>
    await fetch(service.baseUrl + path, { method: "POST", headers, body, redirect: "manual" });

  const pay = async (fault?: (token: string) => Fault): Promise<void> => {
    const linkId = await merchant.newLink({ amount: 100_000, payment_methods: ["card"] });
    const session =
      (await send(`/pay/${linkId}/sessions`, {}, new URLSearchParams())).headers.get("location") ?? "";
    const token = canaries.keep("card's token", await cardToken(pagarme, PAID_CARD, {}, KEYS.publicKey));
    if (fault) pagarme.fail("createOrder", fault(token));
    const form = new URLSearchParams({ ...FORM, way: "card-1", card_token: token });
    expect((await send(`${session}/payments`, {}, form)).status).toBe(303);
  };
  for (const fault of [
    echo,
    (): Fault => ({ kind: "html", status: 500 }),
    (): Fault => ({ kind: "unauthorized" }),
    (): Fault => ({ kind: "lost" }),
    undefined,
  ])
    await pay(fault);
  const [paid] = await rows.read("SELECT id FROM live.payment WHERE status = 'succeeded' ORDER BY id DESC");
  const id = String(paid?.["id"]);

  const told = JSON.stringify({
    id: canaries.new("callback's id"),
    data: { order: { code: referenceOf(id) } },
  });
  const signed = pagarme.signing.headers(told);
  canaries.keep("signature", String(Object.values(signed)[0]).split("signature=")[1] ?? "");
  expect((await send(pathname, { ...signed, "content-type": "application/json" }, told)).status).toBe(200);
  expect((await send(`${pathname}?a=${canaries.new("query")}`, signed, `${told} `)).status).toBe(403);
  expect((await send(`/providers/${canaries.new("unknown address")}`, signed, told)).status).toBe(404);

  pagarme.fail("cancelCharge", echo("refund"));
  const authorization = `Bearer ${merchant.tenant.liveKey}`;
  const json = { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  expect((await send(`/v1/payments/${id}/refunds`, json, "{}")).status).toBe(201);
  pagarme.fail("listHooks", echo("verification"));
  await providers.verifyProviderAccount({ id: merchant.accountId }, merchant.as);

  await service.end("SIGTERM");
  cards.service.faults.length = 0;
  expect(service.output()).toContain("a card was not answered for");
  expect(service.output()).toMatch(/"route":"\/providers\/:secret","verb":"POST","status":200/);
  expect(canaries.foundIn(service.output())).toEqual([]);
  const stored = `${await rows.texts("live")}\n${await rows.texts("identity")}`;
  expect(stored).toContain(id);
  expect(canaries.foundIn(stored)).toEqual([]);
}, 120_000);
