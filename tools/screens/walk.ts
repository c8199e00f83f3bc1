import type { Response } from "playwright-core";
import type { PayerPage } from "../../test/support/browser.ts";
import type { Screen, Who } from "./screen.ts";
import type { Showcase } from "./showcase.ts";

/** A phone, a tablet and a desk. */
export const WIDTHS = [375, 768, 1280] as const;
export const LANGUAGES = ["pt-BR", "en"] as const;
const HEIGHT = 812;

/** One page as it is seen. */
export interface Sight {
  readonly screen: Screen;
  readonly language: string;
  readonly width: number;
  readonly page: PayerPage;
  /** What the page came with. */
  readonly answer: Response;
}

interface Walking {
  readonly widths?: readonly number[];
  /** False: in a browser that runs no script. */
  readonly hasScript?: boolean;
}

/** Visits the screens in one language, and looks at each in every width. A page is loaded once, and made wider. */
export async function walk(
  { pages, company }: Showcase,
  screens: readonly Screen[],
  language: string,
  look: (sight: Sight) => Promise<void>,
  { widths = WIDTHS, hasScript = true }: Walking = {},
): Promise<void> {
  const visitors = new Map<Who, PayerPage>();
  const answers = new Map<PayerPage, Response>();
  const newVisitor = async (): Promise<PayerPage> => {
    const visitor = await pages.newPage({ locale: language, javaScriptEnabled: hasScript });
    visitor.page.on("response", (response) => {
      const isRedirect = response.status() >= 300 && response.status() < 400;
      if (response.request().isNavigationRequest() && !isRedirect) answers.set(visitor, response);
    });
    return visitor;
  };
  const visitorOf = async (who: Who): Promise<PayerPage> => {
    const open = visitors.get(who) ?? (await newVisitor());
    visitors.set(who, open);
    if (who === "payer" || who === "guest") await open.page.context().clearCookies();
    else {
      const { sessionToken } = company.users[who];
      const cookie = { name: "paylink_session", value: sessionToken, url: pages.baseUrl };
      await open.page.context().addCookies([cookie]);
    }
    return open;
  };
  for (const screen of screens) {
    const page = await visitorOf(screen.who);
    const [first = HEIGHT] = widths;
    await page.page.setViewportSize({ width: first, height: HEIGHT });
    await page.goto(screen.address);
    try {
      await screen.act?.(page);
    } catch (error) {
      throw new Error(`${screen.name} cannot be brought about`, { cause: error });
    }
    const answer = answers.get(page);
    if (!answer) throw new Error(`${screen.name} has no answer`);
    for (const width of widths) {
      await page.page.setViewportSize({ width, height: HEIGHT });
      await look({ screen, language, width, page, answer });
    }
  }
  for (const { page } of visitors.values()) await page.context().close();
}
