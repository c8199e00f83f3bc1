import { existsSync, readFileSync } from "node:fs";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Response,
} from "playwright-core";
import { onTestFinished, TestRunner } from "vitest";
import { violationsOf } from "./axe.ts";
import type { CoreSettings } from "./core-options.ts";
import { freePorts } from "./process.ts";
import { startService, type TestService } from "./service.ts";

// The shell has the same engine without a window's frame, and costs half the CPU time.
const PLACES = [
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const PATIENCE_MS = 75_000;
const PHONE = { width: 320, height: 640 };
const MAIN_BUTTON = "main button.primary, main a.primary";

// CHROMIUM names one.
const executablePath = [process.env["CHROMIUM"] ?? "", ...PLACES].find(
  (path) => path !== "" && existsSync(path),
);

if (executablePath === undefined) {
  const text = "There is no Chromium here (CHROMIUM may name one): the tests in a browser are left out.";
  if (process.env["CI"] !== undefined || process.env["BROWSER_TESTS"] === "required") throw new Error(text);
  console.warn(text);
}

export const hasBrowser = executablePath !== undefined;

// What no reader could read, as the page is laid out.
const LAYOUT_FAULTS = readFileSync(new URL("layout-faults.js", import.meta.url), "utf8");

/** The service at a real address, and a browser that looks at it. */
export interface Pages {
  readonly service: TestService;
  readonly baseUrl: string;
  /**
   * A page of its own, without cookies of others, on a phone of 320 pixels unless told otherwise. It is closed when its
   * test ends, for it works as long as it is open; one that no test opened stays until all is closed.
   */
  newPage(options?: BrowserContextOptions): Promise<PayerPage>;
  close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;

/** How the browser of this machine is started. */
export const LAUNCH = {
  ...(executablePath === undefined ? {} : { executablePath }),
  // Debian's has no setuid sandbox for root.
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--disable-dev-shm-usage", "--disable-gpu", "--disable-software-rasterizer", "--disable-extensions"],
};

/** The browser of all files of this worker. It ends with this process. */
export async function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch(LAUNCH);
  return await browser;
}

export async function startPages(
  settings: CoreSettings = {},
  start: (settings: CoreSettings) => Promise<TestService> = async (given) =>
    await startService("direct", given),
): Promise<Pages> {
  const [port = 0] = await freePorts(1);
  const baseUrl = `http://127.0.0.1:${port}`;
  const service = await start({
    checkoutBase: baseUrl,
    mediaBase: `${baseUrl}/media`,
    ...settings,
  });
  await service.gateway.listen({ host: "127.0.0.1", port });
  const shared = await sharedBrowser();
  const contexts: BrowserContext[] = [];
  return {
    service,
    baseUrl,
    newPage: async (options = {}) => {
      const context = await shared.newContext({
        viewport: PHONE,
        locale: "pt-BR",
        baseURL: baseUrl,
        ...options,
      });
      // Of a slow machine, as the tests' own times are.
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close());
      return new PayerPage(await context.newPage());
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await service.close();
    },
  };
}

/** A page as a payer uses it, which keeps what it complained of. */
export class PayerPage {
  readonly page: Page;
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      const isStatus = /the server responded with a status of (404|409|410|422)/.test(message.text());
      if (message.type() === "error" && !isStatus) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  async goto(path: string): Promise<number> {
    return (await this.page.goto(path))?.status() ?? 0;
  }

  async text(): Promise<string> {
    return (await this.page.locator("main").innerText()).replaceAll(/[\u00A0\u202F]/g, " ");
  }

  async heading(): Promise<string> {
    return (await this.page.locator("h1").innerText()).trim();
  }

  /** Opens the link and a session on it, by its first method or another one. */
  async open(linkId: string, way?: "card" | "pix-1"): Promise<void> {
    await this.goto(`/pay/${linkId}`);
    await this.follow(way === undefined ? MAIN_BUTTON : `button[value="${way}"]`);
  }

  /** Presses the page's main button and waits for what comes. */
  async press(): Promise<void> {
    await this.follow(MAIN_BUTTON);
  }

  async choose(key: string): Promise<void> {
    const fold = this.page.locator(`details:not([open]):has(input[value="${key}"]) > summary`);
    if ((await fold.count()) > 0) await fold.click();
    await this.page.check(`input[value="${key}"]`);
    await this.press();
  }

  async follow(selector: string): Promise<void> {
    await Promise.all([this.page.waitForEvent("domcontentloaded"), this.page.click(selector)]);
  }

  /**
   * Does what leads to a page that watches for changes, and waits until it has read them: what is changed from then
   * on, it shows by itself. A test that reloads such a page races with the page's own loading.
   */
  async untilWatching(act: () => Promise<unknown>): Promise<void> {
    const isStream = (response: Response): boolean => response.url().endsWith("/events");
    await Promise.all([this.page.waitForResponse(isStream), act()]);
  }

  /** Chooses a test card by what its issuer answers. */
  async testCard(token: string): Promise<void> {
    const number = await this.page.getAttribute(`#test_card option[data-token="${token}"]`, "value");
    await this.page.selectOption("#test_card", number);
  }

  /** Waits for what the page comes to show by itself. */
  async shows(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async simulate(action: "approve" | "decline" | "expire"): Promise<void> {
    await this.follow(`button[value="${action}"]`);
  }

  /** The total that the page shows, in centavos, and how it is written. */
  async total(): Promise<{ minor: bigint; text: string }> {
    const total = this.page.locator("dd[data-total], p[data-total]").first();
    const text = (await total.innerText()).replaceAll(/[\u00A0\u202F]/g, " ");
    return { minor: BigInt((await total.getAttribute("data-total")) ?? -1), text };
  }

  /** What keeps the page from being accessible and readable in its window, and what the browser complains of. */
  async problems(): Promise<string[]> {
    return [...(await this.violations()), ...(await this.layoutFaults()), ...this.complaints];
  }

  /** Texts that are cut, overprinted or out of sight. */
  async layoutFaults(): Promise<string[]> {
    return await this.page.evaluate<string[]>(LAYOUT_FAULTS);
  }

  /** What keeps the page from being accessible. */
  async violations(): Promise<string[]> {
    return await violationsOf(this.page);
  }
}
