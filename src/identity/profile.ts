import { isEmailAddress } from "../platform/text/email-address.ts";
import { invalidRequest, readAll } from "../platform/rpc/errors.ts";
import { readTaxId } from "../platform/text/tax-id.ts";
import { webAddress } from "../../contract/web-address.ts";

/** How a tenant presents itself to payers. A field that is not given is absent. */
export interface Profile {
  readonly display_name?: string;
  readonly logo_url?: string;
  /** "#rrggbb" */
  readonly color?: string;
  /** Digits, and capital letters in a CNPJ. */
  readonly tax_id?: string;
  readonly contact?: string;
  readonly site?: string;
}

type Field = keyof Profile;

const COLOR = /^#[0-9a-f]{6}$/;
const PHONE = /^\+?[\d\s().-]{8,30}$/;
const CONTROL = /\p{Cc}/u;
// WCAG 2.2, 1.4.3: white text on the colour.
const CONTRAST_MIN = 4.5;

const READERS: Readonly<Record<Field, (text: string) => string>> = {
  display_name: (text) => text,
  logo_url: readLogo,
  color: readColor,
  tax_id: (text) => readTaxId(text) ?? refused("tax_id", "tax_id is no CPF or CNPJ: a digit is wrong."),
  contact: (text) =>
    isEmailAddress(text) || PHONE.test(text)
      ? text
      : refused("contact", "contact is an e-mail address or a telephone number."),
  site: (text) =>
    isWebAddress(text) ? text : refused("site", "site is an address that begins with https://."),
};

/** Returns the profile with the given fields in the place of its own. Empty ones are removed. Error: invalid_request on each wrong field. */
export function changedProfile(profile: Profile, given: Readonly<Partial<Record<Field, string>>>): Profile {
  const fields = Object.keys(READERS) as Field[];
  const read = (field: Field): string => {
    const text = (given[field] ?? profile[field] ?? "").trim();
    if (text === "" || given[field] === undefined) return text;
    if (CONTROL.test(text)) refused(field, `${field} holds a control character.`);
    return READERS[field](text);
  };
  const texts = readAll<Record<Field, string>>(
    Object.fromEntries(fields.map((field) => [field, () => read(field)])) as Record<Field, () => string>,
  );
  return Object.fromEntries(fields.map((field) => [field, texts[field]]).filter(([, text]) => text !== ""));
}

/** Returns the contrast of white text on a colour "#rrggbb", from 1 to 21, as WCAG defines it. */
function contrastWithWhite(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function readColor(text: string): string {
  const color = text.toLowerCase();
  if (!COLOR.test(color)) refused("color", "color is written as #rrggbb.");
  if (contrastWithWhite(color) < CONTRAST_MIN)
    refused("color", "color is too light: white text on it cannot be read. Choose a darker one.");
  return color;
}

/** Pictures of this service may have an address without TLS, as on a developer's machine. */
function readLogo(text: string): string {
  const isOwn = webAddress(text)?.pathname.startsWith("/media/") === true;
  return isWebAddress(text) || isOwn
    ? text
    : refused("logo_url", "logo_url is an address that begins with https://.");
}

function isWebAddress(text: string): boolean {
  return webAddress(text)?.protocol === "https:";
}

function refused(field: Field, message: string): never {
  throw invalidRequest(field, message);
}
