const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 800 };

/** How a payer comes to a page: Portuguese on a phone and English on a desktop, so that each is tried with each outcome. */
export const VISITS = [
  { locale: "pt-BR", viewport: PHONE, width: PHONE.width },
  { locale: "en", viewport: DESKTOP, width: DESKTOP.width },
] as const;
