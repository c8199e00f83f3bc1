import type { Asset } from "../pages/assets.ts";
import type { Format } from "../pages/format.ts";
import type { Language } from "../pages/language.ts";
import type { Translate } from "./messages.ts";

/** The context of every page. */
export interface PageContext {
  readonly language: Language;
  readonly t: Translate;
  readonly format: Format;
  readonly nonces: { readonly script: string; readonly style: string };
  /** The origin of this request: "https://pay.example.com". */
  readonly origin: string;
  /** Where the page can be read if it answers a form, whose own address has no page. */
  readonly readAt: string | undefined;
  /** This page's address in the other language. */
  readonly otherLanguage: string;
  readonly assets: Readonly<Record<"base" | "icon" | "style" | "script" | "cardScript", Asset>>;
  /** Lets this page's scripts send requests to one more address. */
  readonly connectTo: (address: string) => void;
}
