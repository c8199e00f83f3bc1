import { request, type ClientRequest } from "node:http";
import { TOKEN_FIELD } from "../../gateway/console/form-token.ts";
import type { PayerPage } from "../../test/support/browser.ts";
import type { Screen } from "./screen.ts";
import type { Showcase } from "./showcase.ts";

/** More than a form may hold. */
const TOO_LONG = "x".repeat(70_000);
const UPLOADS_AT_ONCE = 2;
const TRIES_MAX = 20;
const SENDS = "main form[method=post] button.primary";
const BUSY = 429;

/** The console's pages of status 413 and 429: a form that is too large, too many uploads and too many attempts. */
export function refusalScreens(showcase: Showcase): Screen[] {
  return [
    { ...screen("form-too-large", "test/links/new"), who: "owner", act: fillWithTooMuch("#field-details") },
    { ...screen("form-too-large-of-guest", "signin"), act: fillWithTooMuch("#field-email") },
    {
      ...screen("busy", "test/media"),
      who: "owner",
      act: async (page) => await uploadAtOnce(page, showcase.pages.baseUrl),
    },
    {
      ...screen("sign-in-wait", "signin"),
      act: async (page) => {
        await attempt(page);
        // Those of others have to wait no longer.
        await showcase.forgetAttempts();
      },
    },
  ];
}

function screen(name: string, path: string): Screen {
  return { name: `console/${name}`, who: "guest", address: `/console/${path}` };
}

function fillWithTooMuch(field: string): NonNullable<Screen["act"]> {
  return async (page) => {
    await page.page.evaluate(
      `for (const one of document.querySelectorAll("form")) one.noValidate = true;
      for (const one of document.querySelectorAll("details")) one.open = true;
      document.querySelector("${field}").removeAttribute("maxlength")`,
    );
    await page.page.fill(field, TOO_LONG);
    await page.follow(SENDS);
  };
}

/** Sends the page's form while uploads of its company do not end. */
async function uploadAtOnce(page: PayerPage, baseUrl: string): Promise<void> {
  await untilBusy(page, async () => {
    const cookies = await page.page.context().cookies();
    const headers = {
      origin: baseUrl,
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
      "content-type": "multipart/form-data; boundary=b",
      "content-length": "1000000",
    };
    const token = await page.page.locator(`main [name=${TOKEN_FIELD}]`).first().inputValue();
    const begun = Array.from({ length: UPLOADS_AT_ONCE }, () => beginUpload(page.page.url(), headers, token));
    await Promise.all(begun.map(async ({ sent }) => await sent));
    await page.page.goto(page.page.url());
    await page.follow(SENDS);
    for (const { upload } of begun) upload.destroy();
  });
}

function beginUpload(
  url: string,
  headers: Record<string, string>,
  token: string,
): { readonly upload: ClientRequest; readonly sent: Promise<void> } {
  const upload = request(url, { method: "POST", headers });
  upload.on("error", () => undefined);
  const part = `--b\r\nContent-Disposition: form-data; name="${TOKEN_FIELD}"\r\n\r\n${token}\r\n`;
  return { upload, sent: new Promise((resolve) => upload.write(part, () => resolve())) };
}

/** Signs in with a wrong password until it has to wait. */
async function attempt(page: PayerPage): Promise<void> {
  await untilBusy(page, async () => {
    await page.page.fill("#field-email", "alguem@moveis-irmaos-albuquerque.example");
    await page.page.fill("#field-password", "not the right one");
    await page.page.fill("#field-code", "000000");
    await page.follow(SENDS);
  });
}

/** Throws if the page is not refused as busy after some tries. */
async function untilBusy({ page }: PayerPage, act: () => Promise<void>): Promise<void> {
  let status = 0;
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  const { href } = new URL(page.url());
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    await act();
    if (status === BUSY) return;
    if (page.url() !== href) await page.goto(href);
  }
  throw new Error(`${href} is never too busy`);
}
