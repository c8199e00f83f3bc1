import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { PageCaller } from "./page-caller.ts";

const { service, merchant, rows, get, post, submit } = await forFile(PageCaller.start());

const LINK = { payment_methods: ["pix"], collect_fields: ["phone"] };
const PHONE = "+5511912345678";
// A nonce has any four digits now and then, within others.
const SHOWN = /(?<![\da-z])(?:91234|5678)(?![\da-z])|912345678/;
const FIELD = 'id="phone"';

const openSession = async (linkId: string): Promise<string> =>
  String((await post(`/pay/${linkId}/sessions`)).headers.location);
const pay = async (path: string, form: object = {}) =>
  await post(`${path}/payments`, { way: "pix-1", ...form });

/** Returns the path of a session whose payment with a telephone number was declined. */
async function declined(linkId: string): Promise<string> {
  const path = await openSession(linkId);
  await pay(path, { phone: PHONE });
  await post(`${path}/simulate`, { action: "decline" });
  return path;
}

/** Returns the telephone number of each payment of a session, the newest first. */
async function phonesOf(path: string): Promise<(string | undefined)[]> {
  const client = createClient(CheckoutService, service.core.transport);
  const charges = await rows.read(
    `SELECT payment_id AS "paymentId" FROM test.charge WHERE session_id = $1 ORDER BY number DESC`,
    [path.split("/").at(-1)],
  );
  return await Promise.all(
    charges.map(
      async ({ paymentId }) =>
        (await client.getPayerDetails({ paymentId: String(paymentId) }, merchant.as)).payer?.phone,
    ),
  );
}

test("a second attempt is not asked for what the first one gave, and the page shows nothing of it", async () => {
  const path = await declined(await merchant.newLink(LINK));
  const { body } = await get(`${path}?way=pix-1`);
  expect(body).toContain("Os dados que você informou antes serão usados de novo.");
  expect((await get(`${path}?way=pix-1&lang=en`)).body).toContain("The details that you gave before");
  expect(body).not.toContain(FIELD);
  expect(body).not.toMatch(SHOWN);
  expect((await pay(path)).statusCode).toBe(303);
  expect(await phonesOf(path)).toEqual([PHONE, PHONE]);
});

test("a second attempt may have others: its fields are empty, and a wrong one is shown again", async () => {
  const path = await declined(await merchant.newLink(LINK));
  const [, href = ""] = /href="([^"]*details=other)"/.exec((await get(`${path}?way=pix-1`)).body) ?? [];
  const { body } = await get(href.replaceAll("&amp;", "&"));
  expect(body).toMatch(/id="phone"[^>]*value=""/);
  expect(body).toContain("details=other&amp;lang=en");
  const refused = await submit(`${path}/payments`, { way: "pix-1", phone: "123" });
  expect(refused.body).toMatch(/id="phone"[^>]*value="123"/);
  expect((await pay(path, { phone: "21 99876-5432" })).statusCode).toBe(303);
  expect(await phonesOf(path)).toEqual(["+5521998765432", PHONE]);
});

test("another session of the link is asked", async () => {
  const linkId = await merchant.newLink({ ...LINK, campaign: true });
  await declined(linkId);
  const other = await openSession(linkId);
  const { body } = await get(`${other}?way=pix-1`);
  expect(body).toContain(FIELD);
  expect(body).not.toContain("serão usados de novo");
  expect((await submit(`${other}/payments`, { way: "pix-1" })).body).toContain('id="phone_problem"');
});

test("what was erased at the end of its retention is asked for again", async () => {
  const path = await declined(await merchant.newLink(LINK));
  await rows.run("UPDATE test.charge SET sealed_payer = NULL WHERE session_id = $1", [
    path.split("/").at(-1),
  ]);
  expect((await get(`${path}?way=pix-1`)).body).toContain(FIELD);
  expect((await submit(`${path}/payments`, { way: "pix-1" })).body).toMatch(
    /id="phone"[^>]*aria-invalid="true"/,
  );
});
