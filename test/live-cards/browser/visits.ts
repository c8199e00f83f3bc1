import { isInFull } from "../../support/scale.ts";

const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 800 };

const ALL_VISITS = (["pt-BR", "en"] as const).flatMap((locale) =>
  [PHONE, DESKTOP].map((viewport) => ({ locale, viewport, width: viewport.width })),
);

/** How a payer may come to a page: each language on each device. In short, Portuguese on a phone and English on a desktop. */
export const VISITS = ALL_VISITS.filter(
  ({ locale, viewport }) => isInFull || (locale === "en") === (viewport === DESKTOP),
);
