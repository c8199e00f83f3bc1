import type { Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const PASSWORD_MIN = 12;

interface TypedAccount {
  readonly email?: string;
  readonly name?: string;
  readonly password: string;
  readonly code: string;
}

/** Returns all that a form of an account itself shows to be wrong: the core names the first fault alone. */
export function accountFaults(
  guest: Guest,
  { email = "", name = "", password, code }: TypedAccount,
  /** The password is a new one; an address or a name is asked for. */
  {
    isNew,
    asksEmail = false,
    asksName = false,
  }: { readonly isNew: boolean; readonly asksEmail?: boolean; readonly asksName?: boolean },
): Problems {
  const t = messagesIn(guest.language);
  const faults: (readonly [field: string, text: string, isWrong: boolean])[] = [
    ["email", guest.t("field_required"), asksEmail && email.trim() === ""],
    ["name", t("name_missing"), asksName && name.trim() === ""],
    ["password", t("password_rule"), isNew && password.length < PASSWORD_MIN],
    ["password", guest.t("field_required"), !isNew && password === ""],
    ["code", t("code_missing"), !/^\d{6}$/.test(code)],
  ];
  return new Map(faults.flatMap(([field, text, isWrong]) => (isWrong ? [[field, text] as const] : [])));
}
