import { lackingOf } from "../../../contract/permission.ts";
import { permissionsOfRole } from "../../../contract/roles.ts";
import { permissionsOfScopes } from "../../../contract/scope-permissions.ts";
import { SCOPES as ALL } from "../../../contract/scopes.ts";
import type { Visit } from "../visit.ts";
import type { messagesIn } from "./messages.ts";

type MessageKey = Parameters<ReturnType<typeof messagesIn>>[0];

type Scope = Extract<MessageKey, `${string}:${string}`>;

/** The scopes of a key. Each has a message. */
export const SCOPES = ALL as readonly Scope[];

/** What the form of a new key begins with: it reads payments, and changes nothing. */
export const LEAST_SCOPES: readonly Scope[] = ["payments:read"];

/** Returns the scopes that the user may give to a key, as the core decides it. */
export function scopesOf(visit: Visit): readonly Scope[] {
  return SCOPES.filter((scope) => mayGive(visit, [scope]));
}

/** Returns whether the user may give all of the scopes: a key never does more than the user who sees it. */
export function mayGive({ role }: Visit, scopes: readonly string[]): boolean {
  return lackingOf(permissionsOfRole(role), permissionsOfScopes(scopes)) === undefined;
}
