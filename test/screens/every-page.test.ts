import { describe, expect, test } from "vitest";
import { consolePlaces } from "../../screens/console-places.ts";
import { openShowcase } from "../../screens/showcase.ts";
import { LANGUAGES, walk, WIDTHS, type Sight } from "../../screens/walk.ts";
import { hasBrowser, type PayerPage } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/scale.ts";

// The least that every page fits.
const NARROWEST = 320;
const REFUSED = /status of (403|429|503)/;
const VISIT_BYTES = 25_000;
const MINUTES_MS = 900_000;
const FOLDS = "main details:not([open])";

/** Opens all that a page folds away, and returns what is wrong then. */
async function unfolded(page: PayerPage, isAxed: boolean): Promise<string[]> {
  const folds = await page.page.locator(FOLDS).count();
  await page.page.evaluate(
    `for (const one of document.querySelectorAll("${FOLDS}")) [one.open, one.dataset.wasFolded] = [true, ""]`,
  );
  const found = [...(folds > 0 ? await page.layoutFaults() : []), ...(isAxed ? await page.violations() : [])];
  await page.page.evaluate(
    `for (const one of document.querySelectorAll("[data-was-folded]")) one.open = false`,
  );
  return found;
}

describe.runIf(hasBrowser)(
  "every page, with long texts and many rows,",
  { timeout: MINUTES_MS },
  async () => {
    const showcase = await forFile(openShowcase());
    const { service, baseUrl } = showcase.pages;
    const places = { payer: showcase.payer, console: consolePlaces(showcase) };
    const parts = Object.keys(places) as (keyof typeof places)[];
    // Those of a gateway that is busy, or whose core is gone, are at another address.
    const addresses = showcase.payer
      .map(({ address }) => address)
      .filter((address) => address.startsWith("/"));

    test.each(parts.flatMap((part) => LANGUAGES.map((language) => [part, language] as const)))(
      "of the %s in %s is accessible, cuts no text and fits its window",
      async (part, language) => {
        const found: string[] = [];
        const look = async ({ place, width, page }: Sight): Promise<void> => {
          const isAxed = width !== NARROWEST && times(true, width === WIDTHS[0]);
          const problems = [
            ...(await page.layoutFaults()),
            ...(await unfolded(page, isAxed)),
            ...page.complaints.splice(0).filter((text) => !REFUSED.test(text)),
          ];
          found.push(...problems.map((problem) => `${place.name} ${width}: ${problem}`));
        };
        // In the quick form each language has every other page.
        const half = LANGUAGES.indexOf(language);
        const visited = places[part].filter((_, index) => times(true, index % LANGUAGES.length === half));
        await walk(showcase, visited, language, look, [NARROWEST, ...WIDTHS]);
        expect(found).toEqual([]);
      },
    );

    test.each(addresses)(
      "%s has no style or script without its nonce, and with all it loads 25 KB",
      async (url) => {
        const get = async (path: string) =>
          await service.gateway.inject({ url: path, headers: { "accept-encoding": "gzip, br" } });
        const plain = await service.gateway.inject({ url });
        const policy = String(plain.headers["content-security-policy"]);
        expect(policy).toContain("default-src 'none'");
        expect(policy).not.toMatch(/unsafe|\*/);
        const nonces = [...policy.matchAll(/'nonce-([^']+)'/g)].map(([, nonce = ""]) => nonce);
        const tags = plain.body.match(/<(?:script|style|link rel="stylesheet")[^>]*>/g) ?? [];
        expect(tags.length).toBeGreaterThanOrEqual(3);
        expect(tags.filter((tag) => !nonces.some((nonce) => tag.includes(`nonce="${nonce}"`)))).toEqual([]);
        expect(plain.body).not.toMatch(/\sstyle="|\son\w+="|<script(?![^>]*\ssrc=)|javascript:/);
        const assets = plain.body.match(/\/pay\/assets\/[^"]+/g) ?? [];
        const loaded = await Promise.all([url, ...new Set(assets)].map(get));
        const bytes = loaded.map(
          ({ rawPayload, headers }) => rawPayload.length + JSON.stringify(headers).length,
        );
        expect(bytes.reduce((sum, count) => sum + count, 0)).toBeLessThan(VISIT_BYTES);
      },
    );

    test("a browser's first visit is transferred in 25 KB", async () => {
      const { page } = await showcase.pages.newPage();
      const sizes: Promise<number>[] = [];
      page.on("response", (response) => {
        const size = async (): Promise<number> => {
          const { responseHeadersSize, responseBodySize } = await response.request().sizes();
          return responseHeadersSize + responseBodySize;
        };
        sizes.push(size());
      });
      await page.goto(`${baseUrl}/pay/${showcase.live.linkId}`, { waitUntil: "networkidle" });
      expect(sizes.length).toBeGreaterThanOrEqual(4);
      expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(VISIT_BYTES);
    });
  },
);
