import { parseAccept } from "hono/utils/accept";
import { named, type Language } from "../../contract/messages.ts";
import { cookiesIn } from "./cookies.ts";

export { LANGUAGES, named, type Language } from "../../contract/messages.ts";

const LANGUAGE_COOKIE = "paylink_language";

const COOKIE_SECONDS = 31_536_000;
// Browsers send a hundred. A stranger's thousands of entries, each with a rank, take 10 ms.
const ACCEPTED_MAX = 1000;

/** Returns the language of the query, else of the cookie, else of the browser. */
export function languageOf(
  wanted: string | undefined,
  cookies: string | undefined,
  accepted: string | undefined,
): Language {
  const kept = cookiesIn(cookies ?? "")[LANGUAGE_COOKIE];
  return named(wanted) ?? named(kept) ?? fromBrowser(accepted);
}

export function otherThan(language: Language): Language {
  return language === "en" ? "pt-BR" : "en";
}

/** Returns the cookie that remembers a language below this path. */
export function languageCookie(language: Language, path: string): string {
  return `${LANGUAGE_COOKIE}=${language}; Path=${path}; Max-Age=${COOKIE_SECONDS}; SameSite=Lax`;
}

/** Returns English if the browser prefers it to Portuguese, else Portuguese. */
function fromBrowser(accepted = ""): Language {
  // The most wanted comes first.
  const tags = parseAccept(accepted.slice(0, ACCEPTED_MAX).toLowerCase()).flatMap(({ type, q }) =>
    q > 0 ? [type.split("-")[0]] : [],
  );
  return tags.find((tag) => tag === "pt" || tag === "en") === "en" ? "en" : "pt-BR";
}
