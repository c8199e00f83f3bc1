import type { FastifyReply, FastifyRequest } from "fastify";
import { DETAILS, FIELDS } from "./form.ts";
import { isMessageKey, type MessageKey } from "./messages.ts";
import type { Entered } from "./views/payer-fields.ts";

// The payer's own browser keeps what was typed until the page to which the form leads has it: no address has it.
const COOKIE = "paylink_form";
const COOKIE_SECONDS = 600;
// Browsers keep no cookie of more than 4096 bytes.
const CHARACTERS_MAX = 3500;

/** A payment form that was refused: its option, what was typed and what is wrong. */
export interface RefusedForm extends Entered {
  readonly way: string;
}

/** Keeps a refused form for the session's page. What is too long for a cookie is not shown again. */
export function keepForm(reply: FastifyReply, path: string, form: RefusedForm, isSecure: boolean): void {
  const { values } = form;
  const details = Object.fromEntries(DETAILS.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
  const whole = textOf({ ...form, values: details });
  const text = whole.length <= CHARACTERS_MAX ? whole : textOf({ ...form, values: {} });
  const options = { path, maxAge: COOKIE_SECONDS, httpOnly: true, secure: isSecure } as const;
  reply.setCookie(COOKIE, text, { ...options, sameSite: "lax" });
}

/** Removes a refused form after one that was accepted. */
export function forgetForm(request: FastifyRequest, reply: FastifyReply, path: string): void {
  if (request.cookies[COOKIE] !== undefined) reply.clearCookie(COOKIE, { path });
}

/** Returns the session's refused form of an option, or undefined if there is none. */
export function keptForm({ cookies }: FastifyRequest, way: string | undefined): Entered | undefined {
  const text = cookies[COOKIE];
  if (text === undefined || way === undefined) return undefined;
  try {
    const form = JSON.parse(Buffer.from(text, "base64url").toString()) as Partial<RefusedForm> | null;
    if (form?.way !== way) return undefined;
    const { values = {}, problems = {}, hasOwnDetails } = form;
    return {
      values: textsIn<string>(values, ([name, value]) => DETAILS.includes(name) && typeof value === "string"),
      problems: textsIn<MessageKey>(problems, ([name, key]) => isField(name) && isMessageKey(key)),
      hasOwnDetails: hasOwnDetails === true,
    };
  } catch {
    // It is not ours.
    return undefined;
  }
}

function isField(name: string): boolean {
  return name === "" || FIELDS.has(name);
}

function textsIn<Text extends string>(
  texts: Readonly<Record<string, unknown>>,
  isKept: (entry: [string, unknown]) => boolean,
): Record<string, Text> {
  return Object.fromEntries(Object.entries(texts).filter(isKept)) as Record<string, Text>;
}

function textOf(form: RefusedForm): string {
  return Buffer.from(JSON.stringify(form)).toString("base64url");
}
