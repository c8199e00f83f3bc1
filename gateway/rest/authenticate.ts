import { create } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { HEADERS, CallHeaders } from "../../contract/headers.ts";
import { INVALID_API_KEY } from "../../contract/key-texts.ts";
import {
  AuthenticateApiKeyRequestSchema,
  IdentityService,
  Mode,
} from "../../gen/paylink/identity/v1/identity_pb.ts";
import { headerValues } from "../http/request-headers.ts";
import { PublicError } from "../transcode/errors.ts";
import { LOOKUP_TIMEOUT_MS } from "./core-timeout.ts";
import type { Route } from "../transcode/route.ts";

/** The longest text that is an address. */
export const ADDRESS_CHARACTERS_MAX = 64;

/** The tenant, mode and scopes of a request. */
export interface Caller {
  readonly tenantId: string;
  readonly mode: "live" | "test";
  readonly scopes: readonly string[];
  /** "key_…". */
  readonly keyId: string;
}

const BEARER = /^Bearer (svc_(?:live|test)_[\x21-\x7e]{1,200})$/i;

/** The API key of a request. */
export interface ApiKey {
  /** SHA-256 of the whole key. The prefix names the mode, so the key that the core finds has that mode. */
  readonly hash: Buffer<ArrayBuffer>;
}

/** Returns the request's API key. Error: invalid_api_key. */
export function readApiKey(rawHeaders: readonly string[]): ApiKey {
  const [authorization, ...more] = headerValues(rawHeaders, "authorization");
  const match = more.length === 0 ? BEARER.exec(authorization ?? "") : null;
  const key = match?.[1];
  if (key === undefined || !/^svc_(live|test)_/.test(key)) throw invalidApiKey();
  return { hash: hash("sha256", key, "buffer") };
}

/** Returns the caller that a key from this address acts for, as the core knows it. Error: invalid_api_key. */
export async function authenticate(
  transport: Transport,
  coreToken: string,
  key: ApiKey,
  requestId: string,
  address: string,
): Promise<Caller> {
  const { message } = await ask(transport, coreToken, key, requestId, address);
  const mode = message.mode === Mode.LIVE ? "live" : "test";
  const { tenantId, scopes, keyId } = message;
  return { tenantId, mode, scopes, keyId };
}

async function ask(transport: Transport, coreToken: string, key: ApiKey, requestId: string, address: string) {
  const request = create(AuthenticateApiKeyRequestSchema, {
    keyHash: key.hash,
    // A proxy may forward a text of any length. One that is too long is no address.
    address: address.slice(0, ADDRESS_CHARACTERS_MAX),
  });
  const header = new CallHeaders({ authorization: `Bearer ${coreToken}`, [HEADERS.requestId]: requestId });
  return await transport.unary(
    IdentityService.method.authenticateApiKey,
    undefined,
    LOOKUP_TIMEOUT_MS,
    header,
    request,
  );
}

/**
 * Refuses a route that the caller may not use. Errors: insufficient_scope; not_available_in_live on a sandbox-only
 * route.
 */
export function authorize({ scope, isForAnyKey, isSandboxOnly }: Route, caller: Caller): void {
  if (!isForAnyKey && !caller.scopes.includes(scope)) {
    throw new PublicError(
      "insufficient_scope",
      `The API key lacks the scope ${scope}: use a key that has it.`,
    );
  }
  if (isSandboxOnly && caller.mode === "live") {
    throw new PublicError(
      "not_available_in_live",
      "This plays a payer, and is available with a test key only: send a key svc_test_….",
    );
  }
}

function invalidApiKey(): PublicError {
  return new PublicError("invalid_api_key", INVALID_API_KEY);
}
