import { SCOPES as ALL } from "../../../contract/scopes.ts";
import type { messagesIn } from "./messages.ts";

type MessageKey = Parameters<ReturnType<typeof messagesIn>>[0];

/** The scopes of a key. Each has a message. */
export const SCOPES = ALL as readonly Extract<MessageKey, `${string}:${string}`>[];
