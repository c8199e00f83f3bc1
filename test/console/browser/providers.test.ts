import { lookup } from "node:dns";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT, KEY, testBank, type TestBank } from "../../api-pix/connected.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../../support/console.ts";
import { DatabaseRows } from "../../support/database-rows.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const PAGE = "/console/live/providers";
const PHONE = { viewport: { width: 320, height: 640 }, locale: "en" };
const WEEK_MS = 6 * 86_400_000;

// Each looks at many pages with axe.
describe.runIf(hasBrowser)("in a browser", { timeout: 120_000 }, () => {
  let pages: Pages;
  let made: TestBank;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let user: TestUser;
  beforeAll(async () => {
    made = await testBank();
    pages = await startPages({
      allowLoopbackProviders: true,
      lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
    });
    made.bank.clock.set(new Date(pages.service.clock.nowMs()));
    rows = await new DatabaseRows(pages.service.databaseUrl).open();
  });
  afterAll(async () => {
    await rows.close();
    await pages.close();
    await made.bank.stop();
  });

  async function fill(visitor: PayerPage, baseUrl = made.bank.baseUrl): Promise<void> {
    const { page } = visitor;
    for (const [name, text] of Object.entries({
      label: "Conta da loja",
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      pix_key: KEY,
      certificate: made.identity.cert,
      private_key: made.identity.key,
      ca: made.authority.cert,
      base_url: baseUrl,
      token_url: made.bank.tokenUrl,
      password: user.password,
    })) {
      await page.fill(`#field-${name}`, text);
    }
  }

  test.each([
    ["on a desk", { locale: "en" }],
    ["on a phone", PHONE],
  ])("an owner connects an account, looks at it and retires it %s", async (_, options) => {
    merchant = await createMerchant(pages.service, {}, "live");
    user = await createUser(pages.service, merchant.tenant.id, "owner");
    const visitor = await consolePage(pages, user, options);
    const well = async () => expect(await visitor.problems()).toEqual([]);
    await visitor.goto(PAGE);
    await well();
    await visitor.goto(`${PAGE}/new`);
    await well();
    await visitor.follow('main a[href$="/pix/bacen"]');
    await well();
    await fill(visitor, `${made.bank.baseUrl}/`);
    await visitor.follow("main form button.primary");
    expect(await visitor.text()).toContain("neither ends with a slash");
    expect(await visitor.page.inputValue("#field-client_secret")).toBe("");
    expect(await visitor.page.inputValue("#field-private_key")).toBe("");
    await well();
    await fill(visitor);
    await visitor.follow("main form button.primary");
    expect(await visitor.page.inputValue("#callback-url")).toMatch(/\/providers\/[\w-]{43}$/);
    await well();
    await visitor.follow("main a.primary");
    expect(await visitor.text()).toContain("Conta da loja");
    expect(await visitor.page.innerText("aside.test")).toContain("not a real one");
    await well();
    await visitor.follow("main .actions a.primary");
    await visitor.page.fill("#field-password", user.password);
    await visitor.follow("main form button.primary");
    await visitor.page.waitForSelector(".done");
    await rows.run("UPDATE live.provider_account SET certificate_not_after = $2 WHERE tenant_id = $1", [
      merchant.tenant.id,
      new Date(Date.now() + WEEK_MS),
    ]);
    for (const path of [PAGE, "/console/live", `${PAGE}/unknown`]) {
      await visitor.goto(path);
      await well();
    }
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, txid, amount_minor, received_at, created_at)
        SELECT tenant_id, id, 'E1234567820261120150000000001', repeat('x', 35), 12345, now(), now()
        FROM live.provider_account WHERE tenant_id = $1`,
      [merchant.tenant.id],
    );
    await visitor.goto(`${PAGE}/unknown`);
    await well();
    await visitor.follow("main table a.button");
    await well();
    await visitor.page.fill("#field-note", "Sent back at the bank");
    await visitor.page.fill("#field-password", user.password);
    await visitor.follow("main form button.primary");
    expect(await visitor.text()).toContain("Marked as settled.");
    await visitor.follow("main .actions a.button");
    expect(await visitor.text()).toContain("Sent back at the bank");
    await well();
    await rows.run(
      `INSERT INTO live.fx_held_rate SELECT 'default', 'fxs_' || gen_random_uuid(), 6000000, 'ptax',
        '2026-03-02 13:10:20.1', 108000, now() + count(*) * interval '1 second', now(), 'fxs_last', 5000000
        FROM live.fx_held_rate`,
    );
    await visitor.goto("/console/live/quotes/new?amount=100&currency=USD&do=prices");
    expect(await visitor.text()).toContain("A rate is held back");
    await well();
    const link = await merchant.newLink();
    await visitor.goto(`/pay/${link}`);
    expect(await visitor.page.innerText("aside.test")).toContain("not a real one");
    await well();
    await visitor.goto(PAGE);
    await visitor.follow("main table a");
    await visitor.follow("main a.danger");
    await visitor.page.fill("#field-password", user.password);
    await visitor.follow("main form button.danger");
    expect(await visitor.text()).toContain("Account retired.");
    await well();
  });
});
