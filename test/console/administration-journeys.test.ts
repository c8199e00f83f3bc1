import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { Api } from "../support/api.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { codeOf, consolePage, createUser, type TestUser } from "../support/console.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { Users } from "../support/users.ts";
import { secretOn } from "./sign-in-form.ts";
import type { TestTenant } from "../support/service.ts";

const PHONE = { width: 320, height: 640 };
const TEST = "/console/test";

// Alone on the machine none takes ten seconds.
describe.runIf(hasBrowser)("in a browser", { timeout: 120_000 }, () => {
  let pages: Pages;
  let tenant: TestTenant;
  let owner: TestUser;
  beforeAll(async () => {
    pages = await startPages();
  });
  beforeEach(async () => {
    tenant = await pages.service.createTenant();
    owner = await createUser(pages.service, tenant.id, "owner");
  });
  afterAll(async () => {
    await pages.close();
  });

  /** Opens the page, which must be accessible. */
  async function open(at: PayerPage, path: string): Promise<void> {
    expect(await at.goto(path)).toBe(200);
    expect([path, await at.problems()]).toEqual([path, []]);
  }

  async function confirm(at: PayerPage, password = owner.password): Promise<void> {
    await at.page.fill("#field-password", password);
    await at.follow("main form button");
    expect(await at.problems()).toEqual([]);
  }

  test("a developer makes a key, copies it, uses it and revokes it", async () => {
    const developer = await createUser(pages.service, tenant.id, "developer");
    const at = await consolePage(pages, developer, {
      locale: "en",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await open(at, `${TEST}/keys`);
    await at.press();
    await at.page.fill("#field-name", HOSTILE);
    await at.page.uncheck('input[value="quotes:write"]');
    await confirm(at, "wrong");
    expect(await at.page.evaluate("document.activeElement.id")).toBe("problems");
    expect(await at.page.inputValue("#field-name")).toBe(HOSTILE);
    expect(await at.page.isChecked('input[value="quotes:write"]')).toBe(false);
    await confirm(at);
    expect(await at.heading()).toBe("Key created");
    await at.page.click("[data-copy]");
    const key = await at.page.evaluate<string>("navigator.clipboard.readText()");
    const api = new Api(pages.service, key);
    const use = async () => (await api.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status;
    expect([key.slice(0, 9), await use()]).toEqual(["svc_test_", 200]);
    await at.press();
    expect(await at.text()).toContain(HOSTILE);
    await at.page
      .locator("tr", { hasText: key.slice(-4) })
      .getByText("Revoke")
      .click();
    await at.page.waitForURL(/revoke$/);
    expect(await at.problems()).toEqual([]);
    await confirm(at);
    expect(await at.text()).toContain("Key revoked");
    expect(await use()).toBe(401);
    expect(await at.problems()).toEqual([]);
  });

  test("an owner invites a user, who joins from a phone and sees what the role may", async () => {
    const at = await consolePage(pages, owner);
    await open(at, `${TEST}/people`);
    await at.press();
    await at.page.fill("#field-email", "bia@example.test");
    await at.page.check('input[value="viewer"]');
    await confirm(at);
    const link = await at.page.inputValue("#link");

    const phone = await pages.newPage();
    await phone.goto(link);
    expect(await phone.problems()).toEqual([]);
    const secret = secretOn(await phone.page.content());
    await phone.page.fill("#field-name", "Bia");
    await phone.page.fill("#field-password", "bia's own long password");
    await phone.page.fill("#field-code", codeOf(secret, pages.service));
    await phone.press();
    expect(new URL(phone.page.url()).pathname).toBe(TEST);
    expect(await phone.page.locator("nav.sections a").count()).toBeGreaterThan(0);
    expect(
      await phone.page.locator('nav.sections a[href$="/people"], nav.sections a[href$="/keys"]').count(),
    ).toBe(0);
    expect(await phone.goto(`${TEST}/people`)).toBe(403);
    expect(await phone.goto(link)).toBe(404);

    await open(at, `${TEST}/people`);
    await at.follow('a:text-is("Bia")');
    await at.follow('a[href$="/role"]');
    await at.page.check('input[value="developer"]');
    await confirm(at);
    expect(await phone.goto(`${TEST}/keys`)).toBe(200);
    await at.follow('a:text-is("Bia")');
    await at.follow('a[href$="/remove"]');
    await confirm(at);
    await phone.goto(TEST);
    expect(new URL(phone.page.url()).pathname).toBe("/console/signin");
  });

  test("a user whose session has ended joins a company under an address that is taken, and signs in", async () => {
    const other = await pages.service.createTenant();
    const link = `/console/invitations/${await new Users(pages.service).invite(other.id, Role.VIEWER, owner.email)}`;
    const at = await consolePage(pages, owner, { viewport: PHONE, locale: "en" });
    pages.service.clock.advance(3600);
    await open(at, link);
    await at.follow('main a[href$="account=new"]');
    expect(await at.problems()).toEqual([]);
    const secret = secretOn(await at.page.content());
    await at.page.fill("#field-name", "Bia");
    await at.page.fill("#field-password", "bia's own long password");
    await at.page.fill("#field-code", "000000");
    await at.press();
    expect(await at.problems()).toEqual([]);
    await at.page.fill("#field-password", "bia's own long password");
    await at.page.fill("#field-code", codeOf(secret, pages.service));
    await at.press();
    expect(new URL(at.page.url()).pathname).toBe(TEST);

    pages.service.clock.advance(3600);
    await at.goto(TEST);
    expect(new URL(at.page.url()).pathname).toBe("/console/signin");
    const names = new Set((await at.page.context().cookies()).map(({ name }) => name));
    expect([names.has("paylink_session"), names.has("paylink_browser")]).toEqual([false, true]);
    expect(await at.problems()).toEqual([]);
    await at.page.fill("#field-email", owner.email);
    await at.page.fill("#field-password", "bia's own long password");
    await at.page.fill("#field-code", codeOf(secret, pages.service));
    await at.press();
    expect(new URL(at.page.url()).pathname).toBe(TEST);
  });

  test("an owner gives a user a link to a new password", async () => {
    const member = await createUser(pages.service, tenant.id, "finance");
    const at = await consolePage(pages, owner, { viewport: PHONE });
    await open(at, `${TEST}/people`);
    await at.page.locator("tr", { hasText: member.email }).getByRole("link").click();
    await at.page.waitForURL(/people\/usr_/);
    await at.follow('a[href$="/reset"]');
    await confirm(at);
    const theirs = await pages.newPage({ locale: "en" });
    await theirs.goto(await at.page.inputValue("#link"));
    expect(await theirs.problems()).toEqual([]);
    const secret = secretOn(await theirs.page.content());
    await theirs.page.fill("#field-password", "a new long password");
    await theirs.page.fill("#field-code", codeOf(secret, pages.service));
    await theirs.press();
    expect(new URL(theirs.page.url()).pathname).toBe(TEST);
  });

  test("an owner changes settings and a legal entity's name on a phone", async () => {
    const at = await consolePage(pages, owner, { viewport: PHONE, locale: "en" });
    await open(at, "/console/live/settings");
    await at.page.fill("#field-max_installments", "99");
    await at.press();
    expect(await at.page.getAttribute("#field-max_installments", "aria-invalid")).toBe("true");
    expect(await at.problems()).toEqual([]);
    await at.page.fill("#field-max_installments", "6");
    await at.press();
    expect(await at.text()).toContain("Settings saved.");
    await at.follow('a[href*="/settings/entities/"]');
    await at.page.fill("#field-name", HOSTILE);
    await at.press();
    expect(await at.text()).toContain(HOSTILE);
    expect(await at.problems()).toEqual([]);
  });

  test("finance filters the audit log and takes it along", async () => {
    await pages.service.createKey(tenant.id, "test");
    const finance = await createUser(pages.service, tenant.id, "finance");
    for (const options of [{}, { viewport: PHONE, locale: "en" }]) {
      const at = await consolePage(pages, finance, options);
      await open(at, `${TEST}/audit`);
      const fold = at.page.locator(".fold-of-filters > summary");
      if (await fold.isVisible()) await fold.click();
      await at.page.selectOption("#field-action", "CreateApiKey");
      await at.follow(".filters button");
      expect(await at.problems()).toEqual([]);
      const count = await at.page.locator("main tbody tr").count();
      expect(count).toBe(2);
      const [download] = await Promise.all([
        at.page.waitForEvent("download"),
        at.page.click('a[href*="export.csv"]'),
      ]);
      const records: Record<string, string>[] = parse(await readFile(await download.path()), {
        columns: true,
        bom: true,
      });
      expect(records.map(({ action }) => action)).toEqual(["CreateApiKey", "CreateApiKey"]);
    }
  });

  test("a user signs out everywhere, after a confirmation", async () => {
    const other = await consolePage(pages, owner);
    const users = new Users(pages.service);
    const { sessionToken } = await users.client.signIn(
      { email: owner.email, password: owner.password, code: users.nextCode(owner.totpSecret) },
      users.internal,
    );
    const at = await consolePage(pages, { sessionToken }, { viewport: PHONE });
    await open(at, `${TEST}/account`);
    at.page.removeAllListeners("dialog");
    const questions: string[] = [];
    at.page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await at.follow(".danger");
    expect(questions).toEqual(["Sair de todos os lugares, daqui também?"]);
    expect(new URL(at.page.url()).pathname).toBe("/console/signin");
    await other.goto(TEST);
    expect(new URL(other.page.url()).pathname).toBe("/console/signin");
  });

  test("all of it works without a script", async () => {
    const at = await consolePage(pages, owner, { javaScriptEnabled: false });
    await at.goto(`${TEST}/keys/new`);
    await at.page.fill("#field-name", "No script");
    await at.page.fill("#field-password", owner.password);
    await at.press();
    expect(await at.page.inputValue("#key")).toMatch(/^svc_test_/);
    await at.goto(`${TEST}/account`);
    await at.follow(".danger");
    expect(new URL(at.page.url()).pathname).toBe("/console/signin");
  });
});
