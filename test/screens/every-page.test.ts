import { describe, expect, test } from "vitest";
import { consolePlaces } from "../../screens/console-places.ts";
import { openShowcase } from "../../screens/showcase.ts";
import { LANGUAGES, walk, WIDTHS, type Sight } from "../../screens/walk.ts";
import { hasBrowser } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/scale.ts";

// The least that every page fits.
const NARROWEST = 320;
const REFUSED = /status of (403|429|503)/;
const MINUTES_MS = 600_000;

describe.runIf(hasBrowser)(
  "every page, with long texts and many rows,",
  { timeout: MINUTES_MS },
  async () => {
    const showcase = await forFile(openShowcase());
    const places = { payer: showcase.payer, console: consolePlaces(showcase) };
    const parts = Object.keys(places) as (keyof typeof places)[];

    test.each(parts.flatMap((part) => LANGUAGES.map((language) => [part, language] as const)))(
      "of the %s in %s is accessible, cuts no text and fits its window",
      async (part, language) => {
        const found: unknown[] = [];
        const look = async ({ place, width, page }: Sight): Promise<void> => {
          // A phone has all that a page has, but for the navigation's place.
          const isAxed = width !== NARROWEST && times(true, width === WIDTHS[0]);
          const problems = [
            ...(await page.layoutFaults()),
            ...(isAxed ? await page.violations() : []),
            ...page.complaints.splice(0).filter((text) => !REFUSED.test(text)),
          ];
          found.push(...problems.map((problem) => `${place.name} ${width}: ${problem}`));
        };
        await walk(showcase, places[part], language, look, [NARROWEST, ...WIDTHS]);
        expect(found).toEqual([]);
      },
    );
  },
);
