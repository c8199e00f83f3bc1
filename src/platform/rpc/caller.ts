import { hash } from "node:crypto";
import type { DescField } from "@bufbuild/protobuf";
import { createContextKey } from "@connectrpc/connect";
import { Mode as ModeEnum, ModeSchema } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { wordsOf, type WordOf } from "../../../contract/enum-words.ts";
import { HEADERS, KEY_CHARACTERS_MAX, keyLength } from "../../../contract/headers.ts";
import { keyTooLong } from "../../../contract/key-texts.ts";
import { holdsCardNumber } from "../../../contract/card-number.ts";
import { invalidRequest, PaylinkError } from "./errors.ts";
import { isId, newId } from "../../../contract/ids.ts";

const modes = wordsOf(ModeEnum);

/** The modes: each has its own schema. The caller's key chooses the mode. */
export type Mode = WordOf<typeof ModeEnum>;
export const MODES = modes.all;

/**
 * The caller of a request: its tenant, mode and idempotency key. All come from headers, so that no message field can
 * set them.
 */
export interface Caller {
  readonly tenantId: string;
  readonly mode: Mode;
  /** "req_…", from the gateway or new. */
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** The actor that the caller names, if any. */
  readonly actor?: string | undefined;
}

/** The owner of the request's id, for calls whose headers do not decide the caller. */
export const foundCaller = createContextKey<Caller | undefined>(undefined);

/** Returns the mode that a message field names, or undefined if it names none. */
export function modeOfField(field: DescField, number: unknown): Mode | undefined {
  return field.enum?.typeName === ModeSchema.typeName ? modes.wordOf(number as number) : undefined;
}

/** Returns the idempotency key, as Node reads a header's bytes, or undefined if there is none. */
function keyIn(headers: Headers): string | undefined {
  const encoded = headers.get(HEADERS.encodedIdempotencyKey);
  if (encoded === null) return headers.get(HEADERS.idempotencyKey) || undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new PaylinkError(
      "invalid_idempotency_key",
      `${HEADERS.encodedIdempotencyKey} must be percent-encoded.`,
    );
  }
}

/** Returns the key, or in place of one that reads as a card number its hash: no card number is stored. */
function storableKey(tenantId: string, key: string | undefined): string | undefined {
  if (key === undefined || !holdsCardNumber(key)) return key;
  return `sha256:${hash("sha256", `${tenantId} ${key}`)}`;
}

/** Returns the request id of the gateway, or a new one. */
export function requestIdIn(headers: Headers): string {
  const given = headers.get(HEADERS.requestId) ?? "";
  return isId("req", given) ? given : newId("req");
}

/** Reads the caller from request headers. Errors: invalid_request, invalid_idempotency_key. */
export function callerFrom(headers: Headers): Caller {
  const tenantId = headers.get(HEADERS.tenant);
  const mode = headers.get(HEADERS.mode);
  if (!tenantId) throw invalidRequest(null, `The header ${HEADERS.tenant} is required.`);
  if (mode !== "live" && mode !== "test") {
    throw invalidRequest(null, `The header ${HEADERS.mode} must be live or test.`);
  }
  const idempotencyKey = keyIn(headers);
  if (idempotencyKey !== undefined && keyLength(idempotencyKey) > KEY_CHARACTERS_MAX) {
    const message = keyTooLong(keyLength(idempotencyKey));
    throw new PaylinkError("invalid_idempotency_key", message);
  }
  // At the database, all that is committed together with it would be written anew, one by one.
  if (idempotencyKey?.includes("\0")) {
    throw new PaylinkError("invalid_idempotency_key", "Idempotency-Key holds a NUL character.");
  }
  const requestId = requestIdIn(headers);
  return {
    tenantId,
    mode,
    requestId,
    idempotencyKey: storableKey(tenantId, idempotencyKey),
    actor: headers.get(HEADERS.actor) || undefined,
  };
}
