/** The languages of the pages, the first is the default. */
export const LANGUAGES = ["pt-BR", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

const LANGUAGE_COOKIE = "paylink_language";

const COOKIE_SECONDS = 31_536_000;

/** The language asked for by the address, else by the cookie of an earlier choice, else by the browser. */
export function languageOf(
  asked: string | undefined,
  cookies: string | undefined,
  accepted: string | undefined,
): Language {
  return named(asked) ?? named(cookieOf(cookies)) ?? fromBrowser(accepted);
}

/** A language that was chosen by its name. */
export function named(text: string | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === text);
}

export function otherThan(language: Language): Language {
  return language === "en" ? "pt-BR" : "en";
}

/** The cookie that remembers a choice below this path. */
export function languageCookie(language: Language, path: string): string {
  return `${LANGUAGE_COOKIE}=${language}; Path=${path}; Max-Age=${COOKIE_SECONDS}; SameSite=Lax`;
}

function cookieOf(cookies = ""): string | undefined {
  const pairs = cookies.split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === LANGUAGE_COOKIE)?.[1];
}

/** English when the browser wants it before Portuguese. */
function fromBrowser(accepted = ""): Language {
  const wanted = accepted
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
      const weight = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find(Boolean);
      return { tag: tag.split("-")[0], weight: Number(weight ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  const first = wanted.find(({ tag }) => tag === "pt" || tag === "en");
  return first?.tag === "en" ? "en" : "pt-BR";
}
