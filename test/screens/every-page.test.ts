import { describe, expect, test } from "vitest";
import { consoleScreens } from "../../tools/screens/console-screens.ts";
import { openShowcase } from "../../tools/screens/showcase.ts";
import { LANGUAGES, walk, WIDTHS, type Sight } from "../../tools/screens/walk.ts";
import { hasBrowser, type PayerPage } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/scale.ts";
import { policyFaults, VisitSizes } from "./answer-faults.ts";

// The least that every page fits.
const NARROWEST = 320;
const REFUSED = /status of (403|413|429|503)/;
/** The refusals and failures that have a page. */
const STATUSES = {
  payer: [200, 404, 410, 413, 429, 503],
  console: [200, 403, 404, 413, 422, 429, 503],
};
const VISIT_BYTES = 25_000;
const MINUTES_MS = 900_000;
const FOLDS = "main details:not([open])";
// A button outside a form, or one that cannot be pressed, does nothing without a script.
const IDLE_BUTTONS = `[...document.querySelectorAll("main button, main input[type=submit]")]
  .filter((one) => one.checkVisibility() && (one.form === null || one.disabled)).map(({ outerHTML }) => outerHTML)`;
const NEEDS_SCRIPT = "precisa de JavaScript";

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
    const screens = { payer: showcase.payer, console: consoleScreens(showcase) };
    const parts = Object.keys(screens) as (keyof typeof screens)[];
    const sizes = new VisitSizes(service);
    const answerFaults = async ({ screen, answer }: Sight): Promise<string[]> => {
      const bytes = screen.who === "payer" ? await sizes.of(answer) : 0;
      return [...(await policyFaults(answer)), ...(bytes < VISIT_BYTES ? [] : [`loads ${bytes} bytes`])];
    };

    test.each(parts)(
      "of the %s is accessible in both languages, cuts no text, fits its window, and loads by nonces and 25 KB for payers",
      async (part) => {
        const found: string[] = [];
        const statuses = new Set<number>();
        const look = async (sight: Sight): Promise<void> => {
          const { screen, language, width, page } = sight;
          statuses.add(sight.answer.status());
          const isAxed = width !== NARROWEST && times(true, width === WIDTHS[0]);
          const problems = [
            ...(width === NARROWEST ? await answerFaults(sight) : []),
            ...(await page.layoutFaults()),
            ...(await unfolded(page, isAxed)),
            ...page.complaints.splice(0).filter((text) => !REFUSED.test(text)),
          ];
          found.push(...problems.map((problem) => `${screen.name} ${language} ${width}: ${problem}`));
        };
        const widths = [NARROWEST, ...WIDTHS];
        await Promise.all(
          LANGUAGES.map(async (language, at) => {
            // In the quick form each language has every other page.
            const visited = screens[part].filter((_, index) => times(true, index % LANGUAGES.length === at));
            await walk(showcase, visited, language, look, { widths });
          }),
        );
        expect(found).toEqual([]);
        expect([...statuses]).toEqual(expect.arrayContaining(STATUSES[part]));
      },
    );

    test("of the payer works without a script, or says that it cannot and what does", async () => {
      const found: string[] = [];
      const saying: string[] = [];
      const look = async ({ screen, page }: Sight): Promise<void> => {
        const idle = await page.page.evaluate<string[]>(IDLE_BUTTONS);
        const isSaid = (await page.text()).includes(NEEDS_SCRIPT);
        if (isSaid) saying.push(screen.name);
        const problems = [...(await page.layoutFaults()), ...(isSaid ? [] : idle)];
        found.push(...problems.map((problem) => `${screen.name}: ${problem}`));
      };
      const visited = showcase.payer.filter(({ isScripted }) => isScripted !== true);
      await walk(showcase, visited, "pt-BR", look, { widths: [WIDTHS[0]], hasScript: false });
      expect(found).toEqual([]);
      expect(saying).toEqual(["payer/card-typed", "payer/card-typed-beside-pix"]);
    });

    test("a browser's first visit is transferred in 25 KB", async () => {
      const { page } = await showcase.pages.newPage();
      const transferred: Promise<number>[] = [];
      page.on("response", (response) => {
        const size = async (): Promise<number> => {
          const { responseHeadersSize, responseBodySize } = await response.request().sizes();
          return responseHeadersSize + responseBodySize;
        };
        transferred.push(size());
      });
      await page.goto(`${baseUrl}/pay/${showcase.live.linkId}`, { waitUntil: "networkidle" });
      expect(transferred.length).toBeGreaterThanOrEqual(4);
      const bytes = await Promise.all(transferred);
      expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(VISIT_BYTES);
    });
  },
);
