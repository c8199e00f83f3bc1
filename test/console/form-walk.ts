/** A field of a form as the page has it. */
export interface FoundField {
  readonly name: string;
  /** An input's type, or "textarea" or "select". */
  readonly type: string;
  /** True for a password, a secret and a one-time code. */
  readonly isSecret: boolean;
  readonly isChosen: boolean;
  readonly value: string;
}

/** A form of a page, or the part of a page that a form's fields ask for while the user types. */
export interface FoundForm {
  readonly page: string;
  readonly method: "get" | "post";
  readonly action: string;
  readonly fields: readonly FoundField[];
}

const TYPED = new Set(["text", "email", "url", "search", "number", "date", "month", "textarea"]);
const FORM = /<form\b([^>]*)>([\s\S]*?)<\/form>/g;
const CONTROL = /<(input|textarea|select)\b([^>]*)>(?:([^<]*)<\/textarea>)?/g;
const ID = /\b[a-z]+_[0-9a-z]{26}\b/g;

/** True if a user types the field's value as text. */
export function isTyped({ type, isSecret }: FoundField): boolean {
  return TYPED.has(type) && !isSecret;
}

/** The address without what differs from one object to the next. */
export function patternOf(address: string): string {
  return address
    .replaceAll(ID, ":id")
    .replaceAll(/\d{4}-\d\d(-\d\d)?/g, ":day")
    .replaceAll(/invitations\/[\w-]{43}/g, "invitations/:token")
    .replaceAll(/=[^&]*/g, "=");
}

/** The console's addresses that the page leads to. */
export function linksOn(body: string): string[] {
  const links = [...body.matchAll(/href="(\/console\/[^"#]*)/g)].map(([, link = ""]) => plain(link));
  // Files and other languages have no other forms.
  return links.filter((link) => !/\blang=|\/assets\/|\.(?:csv|jsonl)/.test(link));
}

export function formsOn(page: string, body: string): FoundForm[] {
  return [...body.matchAll(FORM)].flatMap(([, tag = "", content = ""]) => {
    const id = attribute(tag, "id");
    const beside =
      id === undefined ? [] : controlsOf(body).filter((one) => attribute(one.tag, "form") === id);
    const fields = [...controlsOf(content), ...beside].map(({ field }) => field);
    const form: FoundForm = {
      page,
      method: attribute(tag, "method") === "post" ? "post" : "get",
      action: plain(attribute(tag, "action") ?? page),
      fields: fields.filter(({ name }) => name !== ""),
    };
    const asked = [...content.matchAll(/data-hx-(get|post)="([^"]+)"/g)].map(
      ([, method, action = ""]): FoundForm => ({
        ...form,
        method: method === "post" ? "post" : "get",
        action: plain(action),
      }),
    );
    return [form, ...asked];
  });
}

function controlsOf(html: string): { readonly tag: string; readonly field: FoundField }[] {
  return [...html.matchAll(CONTROL)].map(([, kind = "", tag = "", text = ""], index, all) => {
    const name = plain(attribute(tag, "name") ?? "");
    // A field that cannot be changed is for the browser, and is not read by the service.
    const isFixed = /\sreadonly\b/.test(tag);
    const type = isFixed ? "hidden" : kind === "input" ? (attribute(tag, "type") ?? "text") : kind;
    const options = kind === "select" ? optionsAfter(html.slice(all[index]?.index)) : "";
    return {
      tag,
      field: {
        name,
        type,
        isSecret: type === "password" || attribute(tag, "autocomplete") === "one-time-code",
        isChosen: /\schecked\b/.test(tag),
        value: plain((kind === "select" ? options : (attribute(tag, "value") ?? text)).trim()),
      },
    };
  });
}

/** The option that is chosen, or the first that is something. */
function optionsAfter(html: string): string {
  const options = [...(html.split("</select>")[0] ?? "").matchAll(/<option\b([^>]*)>/g)].map(
    ([, tag = ""]) => tag,
  );
  const values = options.map((tag) => attribute(tag, "value") ?? "");
  const chosen = options.findIndex((tag) => /\sselected\b/.test(tag));
  return values[chosen] || (values.find((value) => value !== "") ?? "");
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(tag)?.[1];
}

function plain(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
