import type { JsonObject } from "@bufbuild/protobuf";
import type { HandlerContext, UnaryRequest } from "@connectrpc/connect";
import type { ActorKind } from "./audit-entry.ts";
import { HEADERS } from "./caller.ts";
import { presentedToken } from "./core-access.ts";
import { isId } from "./ids.ts";

/** Who changes something, and from where. */
export interface Actor {
  actorKind: ActorKind;
  /** "usr_…" or "ctk_…"; empty for the other kinds. */
  actorId: string;
  /** The address that a person signs in with; empty for the other kinds. */
  actorName: string;
  /** Network address of a person; empty when unknown. */
  address: string;
  /** Whom a named token says that it acts for, which nobody has proved; undefined when it says nothing. */
  onBehalfOf?: JsonObject | undefined;
}

const COMMAND_LINE = "command_line";
const CHARACTERS_MAX = 200;

/** Who asks: whoever presents a token of its own is believed to be that, and nobody else. */
export function actorOf({ header, contextValues }: UnaryRequest): Actor {
  const nobody = { actorId: "", actorName: "", address: "" };
  const tokenId = contextValues.get(presentedToken);
  const actor = header.get(HEADERS.actor) ?? "";
  if (tokenId !== undefined) {
    const token = { ...nobody, actorKind: "core_token" as const, actorId: tokenId };
    return { ...token, onBehalfOf: actor === "" ? undefined : said(header) };
  }
  if (actor === COMMAND_LINE) return { ...nobody, actorKind: COMMAND_LINE };
  const address = cut(header.get(HEADERS.actorAddress) ?? "");
  if (!isId("usr", actor)) return { ...nobody, actorKind: "core", address };
  return { actorKind: "user", actorId: actor, actorName: decoded(header.get(HEADERS.actorName)), address };
}

/**
 * Returns the id of the user whom the caller acts for, or null if it names none. Of a named token, such as a gateway's, it
 * is not proved: use it only for what it limits.
 */
export function userAsking({ requestHeader }: HandlerContext): string | null {
  const actor = requestHeader.get(HEADERS.actor) ?? "";
  return isId("usr", actor) ? actor : null;
}

function said(header: Headers): JsonObject {
  return {
    actor: cut(header.get(HEADERS.actor) ?? ""),
    name: decoded(header.get(HEADERS.actorName)),
    address: cut(header.get(HEADERS.actorAddress) ?? ""),
  };
}

/** Headers hold no letters beyond Latin ones: the name comes percent-encoded. */
function decoded(text: string | null): string {
  try {
    return cut(decodeURIComponent(text ?? ""));
  } catch {
    return cut(text ?? "");
  }
}

function cut(text: string): string {
  return text.slice(0, CHARACTERS_MAX).toWellFormed();
}
