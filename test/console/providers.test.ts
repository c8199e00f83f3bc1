import { describe, expect, test } from "vitest";
import { SCOPES } from "../../tools/bank/state.ts";
import { ProviderAccountState } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { offeredProviders } from "../../src/providers/registry.ts";
import { CLIENT, KEY } from "../api-pix/connected.ts";
import { connectMerchant } from "../provider-accounts/live-merchant.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { PASSWORD } from "../support/users.ts";
import { EN, PAGE, ProviderPages } from "./provider-pages.ts";

const pages = await ProviderPages.forFile();
const { live } = pages;

const NEW = `${PAGE}/new/pix/bacen`;

/** The form of a new account at the test's bank. */
function form(given: Record<string, string> = {}): Record<string, string> {
  return {
    label: "Conta da loja",
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    pix_key: KEY,
    certificate: live.identity.cert,
    private_key: live.identity.key,
    ca: live.authority.cert,
    base_url: live.bank.baseUrl,
    token_url: live.bank.tokenUrl,
    "callback.proof": "hmac",
    password: PASSWORD,
    ...given,
  };
}

const accountsOf = async ({ as }: Merchant) => (await live.providers.listProviderAccounts({}, as)).accounts;

describe("accounts on the console", () => {
  test("an owner connects one, and its address is on that answer alone", async () => {
    const merchant = await createMerchant(live.service, {}, "live");
    const by = await pages.owner(merchant);
    expect((await by.get(PAGE + EN)).body).toContain("No account: links");
    const { statusCode, body } = await by.post(NEW, NEW, form());
    expect(statusCode).toBe(200);
    const [, secret = ""] = /value="[^"]+\/providers\/([\w-]{43})"/.exec(body) ?? [];
    const [account] = await accountsOf(merchant);
    const page = `${PAGE}/${account?.id}`;
    for (const path of [PAGE, page, `${page}/verify`, `${page}/rotate`, `${page}/retire`]) {
      const shown = (await by.get(path)).body;
      expect(shown).toContain(account?.id);
      for (const hidden of [secret, CLIENT.secret, CLIENT.id, KEY, "PRIVATE KEY", "BEGIN CERTIFICATE"]) {
        expect(shown).not.toContain(hidden);
      }
    }
    expect((await by.get(page)).body).toContain(account?.fingerprint);
    expect((await by.get(NEW)).statusCode).toBe(200);
    const again = await by.post(NEW, `${NEW}${EN}`, form());
    expect(again.statusCode).toBe(422);
    expect(again.body).toContain("There is an active account");
  });

  test("one that cannot be used is refused beside its field, and no secret comes back", async () => {
    const merchant = await createMerchant(live.service, {}, "live");
    const by = await pages.owner(merchant);
    const other = await live.authority.issue();
    const wrong: [string, Record<string, string>][] = [
      ["client_id", { client_id: "" }],
      ["certificate", { certificate: "x" }],
      ["private_key", { private_key: other.key }],
      ["base_url", { base_url: `${live.bank.baseUrl}/` }],
      [
        "callback-ca",
        { "callback.proof": "mtls", "callback.ca": "x", "callback.issuer": "i", "callback.subject": "s" },
      ],
    ];
    for (const [field, given] of wrong) {
      const { statusCode, body } = await by.post(NEW, NEW, form(given));
      expect([field, statusCode]).toEqual([field, 422]);
      expect(body).toContain(`id="field-${field}-problem"`);
      expect(body).not.toContain("PRIVATE KEY");
      expect(body).not.toContain(CLIENT.secret);
    }
    const { body } = await by.post(
      NEW,
      NEW,
      form({ ca: "x", ...wrong[2]?.[1], ...wrong[3]?.[1], ...wrong[4]?.[1] }),
    );
    for (const field of ["ca", "private_key", "base_url", "callback-ca"])
      expect(body).toContain(`id="field-${field}-problem"`);
    expect(await accountsOf(merchant)).toEqual([]);
  });

  test("one is verified, its credentials replaced, its statements read, and it is retired", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    const act = async (word: string, given: Record<string, string> = {}) => {
      const { headers } = await by.post(`${page}/${word}`, `${page}/${word}`, {
        password: PASSWORD,
        ...given,
      });
      return String(headers.location);
    };
    expect(await act("verify")).toBe(`${page}?done=unregistered`);
    expect(await act("verify", { register: "yes" })).toBe(`${page}?done=verified`);
    expect(await act("rotate", form())).toBe(`${page}?done=rotated`);
    const swept = await act("sweep");
    expect(swept).toMatch(/\?money=\d+&unknown=\d+&proof=[\w-]+$/);
    const notice = /\d+ amounts, \d+ without a charge/;
    expect((await by.get(`${swept}&lang=en`)).body).toMatch(notice);
    // A stranger's link shows no numbers, not with a proof of others either.
    for (const forged of [`${page}?money=3&unknown=1`, swept.replace("money=", "money=9")]) {
      expect((await by.get(`${forged}&lang=en`)).body).not.toMatch(notice);
    }
    expect(await act("retire")).toBe(`${page}?done=retired`);
    expect((await by.get(`${page}/rotate`)).statusCode).toBe(404);
    const { body } = await by.get(`/console/live/audit${EN}`);
    for (const text of [
      "Verified an account",
      "Replaced an account",
      "Read an account",
      "Retired an account",
    ]) {
      expect(body).toContain(text);
    }
  });

  test("another system's address is shown, and stays until a checkbox says otherwise", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    const url = "https://shop.example.com/pix";
    live.bank.account().webhooks.set(KEY, { url, createdAt: new Date(0) });
    const verify = async (given: object) =>
      await by.post(`${page}/verify`, `${page}/verify${EN}`, {
        password: PASSWORD,
        register: "yes",
        ...given,
      });
    const asked = await verify({});
    expect(asked.statusCode).toBe(422);
    expect(asked.body).toContain(`calls another system back, at ${url}`);
    expect(asked.body).toContain('name="replace"');
    expect(live.bank.account().webhooks.get(KEY)?.url).toBe(url);
    expect(String((await verify({ replace: "yes" })).headers.location)).toBe(`${page}?done=verified`);
    expect(live.bank.account().webhooks.get(KEY)?.url).not.toBe(url);
  });

  test("input 16: an account at a bank that labels local time as UTC is accepted, and its page says what to do", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    live.bank.account().webhooks.clear();
    live.bank.timeForm = "local_zulu";
    const { headers } = await by.post(`${page}/verify`, `${page}/verify`, {
      password: PASSWORD,
      register: "yes",
    });
    live.bank.timeForm = "zulu";
    live.service.faults.length = 0;
    const address = String(headers.location);
    expect(address).toBe(`${page}?done=verified&gap=-10800`);
    expect((await by.get(`${address}&lang=en`)).body).toContain("are -10800 s from the bank");
    expect((await by.get(`${page}?gap=x`)).body).not.toContain("from the bank's clock");
  });

  test("an account with fewer scopes is accepted, and its page says what will not work", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    live.bank.grant(SCOPES.filter((scope) => scope !== "pix.write"));
    const { headers } = await by.post(`${page}/verify`, `${page}/verify`, { password: PASSWORD });
    live.bank.grant(SCOPES);
    const address = String(headers.location);
    expect(address).toMatch(/missing=pix\.write$/);
    expect((await by.get(`${address}&lang=en`)).body).toContain("no refund can be made here");
    expect((await by.get(`${page}?missing=toString`)).statusCode).toBe(200);
  });

  test("a bank that refuses is told, in its words", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    live.bank.grant(["cob.write"]);
    const refused = await by.post(`${page}/verify`, `${page}/verify${EN}`, { password: PASSWORD });
    live.bank.grant(SCOPES);
    expect(refused.statusCode).toBe(422);
    expect(refused.body).toContain("The provider did not grant");
    live.bank.fail("statement", { kind: "status", status: 503 }, 10);
    live.service.clock.advance(120);
    const { statusCode, body } = await by.post(`${page}/sweep`, `${page}/sweep${EN}`, { password: PASSWORD });
    live.bank.faults.clear();
    expect(statusCode).toBe(422);
    expect(body).toContain("The bank did not answer as it should");
    live.service.faults.length = 0;
  });

  test("nothing changes with a wrong password or a foreign form", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const page = `${PAGE}/${merchant.accountId}`;
    for (const word of ["verify", "rotate", "sweep", "retire"]) {
      const wrong = await by.post(`${page}/${word}`, `${page}/${word}`, form({ password: "not mine" }));
      expect([word, wrong.statusCode]).toEqual([word, 422]);
      expect(wrong.body).toContain('id="field-password-problem"');
      expect((await by.send(`${page}/${word}`, form())).statusCode).toBe(403);
    }
    const [{ rotatedAt, verifiedAt, state } = {}] = await accountsOf(merchant);
    expect([rotatedAt, verifiedAt, state]).toEqual([undefined, undefined, ProviderAccountState.ACTIVE]);
  });

  test("others than an owner see none of it, and another company's account is unknown", async () => {
    const merchant = await connectMerchant(live);
    const page = `${PAGE}/${merchant.accountId}`;
    const token = await (await pages.owner(merchant)).formToken(`${page}/retire`);
    for (const role of ["finance", "developer", "viewer"] as const) {
      const by = await pages.user(merchant.tenant.id, role);
      for (const path of [PAGE, page, `${PAGE}/new`, NEW, `${PAGE}/unknown`, `${page}/retire`]) {
        expect([role, path, (await by.get(path)).statusCode]).toEqual([role, path, 403]);
      }
      const sent = await by.send(`${page}/retire`, { form_token: token, password: PASSWORD });
      expect(sent.statusCode).toBe(403);
      expect((await by.get("/console/live")).body).not.toContain(PAGE);
    }
    const foreign = await pages.owner(await createMerchant(live.service, {}, "live"));
    expect((await foreign.get(page)).statusCode).toBe(404);
    const inTest = page.replace("live", "test");
    expect((await (await pages.owner(merchant)).get(inTest)).statusCode).toBe(404);
  });

  test("in test mode are none: its bank is simulated, and says so", async () => {
    const by = await pages.owner(await createMerchant(live.service, {}, "live"));
    expect((await by.get("/console/test/providers?lang=en")).body).toContain("a simulated bank answers");
    const path = "/console/test/providers/new/pix/bacen";
    const { statusCode, body } = await by.post(path, `${path}?lang=en`, form());
    expect(statusCode).toBe(422);
    expect(body).toContain("a simulated bank answers");
  });

  test("a page of live mode says that its bank is a demo, and one without an account does not", async () => {
    const merchant = await connectMerchant(live);
    const NOTICE = "the bank connected to this environment is not a real one";
    const by = await pages.owner(merchant);
    for (const path of ["", "/links", "/providers"]) {
      expect((await by.get(`/console/live${path}${EN}`)).body).toContain(NOTICE);
      expect((await by.get(`/console/test${path}${EN}`)).body).not.toContain(NOTICE);
    }
    const without = await pages.owner(await createMerchant(live.service, {}, "live"));
    expect((await without.get(`/console/live${EN}`)).body).not.toContain(NOTICE);
  });

  test("each provider has its form, with the core's settings of its profile and no others", async () => {
    const by = await pages.owner(await createMerchant(live.service, {}, "live"));
    const { body } = await by.get(`${PAGE}/new`);
    const links = [...body.matchAll(/href="([^"]+\/new\/[^"]+)"/g)].map(([, path = ""]) => path);
    const known = offeredProviders();
    expect(links).toEqual(known.map(({ kind, profile }) => `${PAGE}/new/${kind}/${profile}`));
    for (const { profile } of known) expect(body).not.toContain(`>${profile}</a>`);
    expect(body).toContain(">Itaú</a>");
    for (const [index, path] of links.entries()) {
      const shown = (await by.get(`${path}${EN}`)).body;
      const names = [...shown.matchAll(/<(?:input|textarea|select)[^>]* id="field-[^>]* name="([^"]+)"/g)];
      const settings = (known[index]?.settings ?? []).map(({ name }) => name);
      expect(names.map(([, name]) => name)).toEqual(["label", ...settings, "password"]);
      for (const {
        label: [, label],
      } of known[index]?.settings ?? [])
        expect(shown).toContain(label.replace("'", "&#39;"));
    }
    expect((await by.get(`${PAGE}/new/pix/pagarme`)).statusCode).toBe(404);
  });

  test("an account for cards is stored, and its page says how its callbacks are proven", async () => {
    const merchant = await createMerchant(live.service, {}, "live");
    const by = await pages.owner(merchant);
    const path = `${PAGE}/new/card/pagarme`;
    const keys = { secret_key: "sk_00000000", public_key: "pk_00000000", password: PASSWORD };
    const refused = await by.post(path, path, { ...keys, max_installments: "25" });
    expect(refused.statusCode).toBe(422);
    for (const field of ["callback-keys", "max_installments"])
      expect(refused.body).toContain(`id="field-${field}-problem"`);
    expect((await by.post(path, path, { ...keys, "callback.keys": "published" })).statusCode).toBe(200);
    const [account] = await accountsOf(merchant);
    const { body } = await by.get(`${PAGE}/${account?.id}${EN}`);
    expect(body).toContain("The provider&#39;s signature");
    // The other kind can still be connected.
    expect((await by.get(PAGE)).body).toContain(`${PAGE}/new`);
  });
});
