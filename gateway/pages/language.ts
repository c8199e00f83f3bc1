import { named, type Language } from "../../contract/messages.ts";

export { LANGUAGES, named, type Language } from "../../contract/messages.ts";

const LANGUAGE_COOKIE = "paylink_language";

const COOKIE_SECONDS = 31_536_000;

/** Returns the language of the query, else of the cookie, else of the browser. */
export function languageOf(
  wanted: string | undefined,
  cookies: string | undefined,
  accepted: string | undefined,
): Language {
  return named(wanted) ?? named(cookieOf(cookies)) ?? fromBrowser(accepted);
}

export function otherThan(language: Language): Language {
  return language === "en" ? "pt-BR" : "en";
}

/** Returns the cookie that remembers a language below this path. */
export function languageCookie(language: Language, path: string): string {
  return `${LANGUAGE_COOKIE}=${language}; Path=${path}; Max-Age=${COOKIE_SECONDS}; SameSite=Lax`;
}

function cookieOf(cookies = ""): string | undefined {
  const pairs = cookies.split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === LANGUAGE_COOKIE)?.[1];
}

/** Returns English if the browser prefers it to Portuguese, else Portuguese. */
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
