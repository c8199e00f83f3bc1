import type { JsonObject } from "@bufbuild/protobuf";
import type { HandlerContext, UnaryRequest } from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import type { ActorKind } from "./audit-entry.ts";
import { presentedToken } from "./core-access.ts";
import { isId } from "../../../contract/ids.ts";

/** The actor of a change, and its network address. */
export interface Actor {
  actorKind: ActorKind;
  /** "usr_…", "ctk_…" or "key_…"; empty for the other kinds. */
  actorId: string;
  /** The user's sign-in address; empty for the other kinds. */
  actorName: string;
  /** The user's or program's network address; empty if unknown. */
  address: string;
  /** The actor that a named token claims to act for, unverified; undefined if it claims none. */
  onBehalfOf?: JsonObject | undefined;
}

const COMMAND_LINE = "command_line";
const CHARACTERS_MAX = 200;

/** Returns the actor of a request. A caller with a named token is always that token, whatever its headers claim. */
export function actorOf({ header, contextValues }: Pick<UnaryRequest, "header" | "contextValues">): Actor {
  const unnamed = { actorId: "", actorName: "", address: "" };
  const tokenId = contextValues.get(presentedToken);
  const actor = header.get(HEADERS.actor) ?? "";
  if (tokenId !== undefined) {
    const token = { ...unnamed, actorKind: "core_token" as const, actorId: tokenId };
    return { ...token, onBehalfOf: actor === "" ? undefined : claimed(header) };
  }
  if (actor === COMMAND_LINE) return { ...unnamed, actorKind: COMMAND_LINE };
  const address = cut(header.get(HEADERS.actorAddress) ?? "");
  if (isId("key", actor)) return { ...unnamed, actorKind: "api_key", actorId: actor, address };
  if (!isId("usr", actor)) return { ...unnamed, actorKind: "core", address };
  return { actorKind: "user", actorId: actor, actorName: decoded(header.get(HEADERS.actorName)), address };
}

/**
 * Returns the id of the user whom the caller acts for, or null if it names none. Of a named token, such as a gateway's, it
 * is not proved: use it only for what it limits.
 */
export function userAsking({ requestHeader }: Pick<HandlerContext, "requestHeader">): string | null {
  const actor = requestHeader.get(HEADERS.actor) ?? "";
  return isId("usr", actor) ? actor : null;
}

/** Returns who calls, for people: the audit log has the whole. */
export function actorName({ requestHeader: header, values: contextValues }: HandlerContext): string {
  const { actorName: name, actorId, actorKind } = actorOf({ header, contextValues });
  return name || actorId || actorKind;
}

function claimed(header: Headers): JsonObject {
  return {
    actor: cut(header.get(HEADERS.actor) ?? ""),
    name: decoded(header.get(HEADERS.actorName)),
    address: cut(header.get(HEADERS.actorAddress) ?? ""),
  };
}

/** Headers have only Latin-1 characters, so the name is percent-encoded. */
function decoded(text: string | null): string {
  try {
    return cut(decodeURIComponent(text ?? ""));
  } catch {
    return cut(text ?? "");
  }
}

/** A decoded text may have NUL, which the database cannot store. */
function cut(text: string): string {
  return text.slice(0, CHARACTERS_MAX).replaceAll("\0", "\u{FFFD}").toWellFormed();
}
