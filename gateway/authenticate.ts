import { create } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { hash } from "node:crypto";
import {
  AuthenticateApiKeyRequestSchema,
  IdentityService,
  Mode,
} from "../gen/paylink/identity/v1/identity_pb.ts";
import { headerValues } from "./header-values.ts";
import { PublicError } from "./transcode/errors.ts";
import type { Route } from "./transcode/route.ts";

const TIMEOUT_MS = 30_000;

/** Whom a request acts for. */
export interface Caller {
  readonly tenantId: string;
  readonly mode: "live" | "test";
  readonly scopes: readonly string[];
}

const BEARER = /^Bearer (svc_(live|test)_[\x21-\x7e]{1,200})$/i;

/** Reads the API key and asks the core whom it acts for. Error: invalid_api_key. */
export async function authenticate(
  transport: Transport,
  coreToken: string,
  rawHeaders: readonly string[],
  requestId: string,
): Promise<Caller> {
  const [authorization, ...more] = headerValues(rawHeaders, "authorization");
  const match = more.length === 0 ? BEARER.exec(authorization ?? "") : null;
  const [, key, word] = match ?? [];
  if (key === undefined || !/^svc_(live|test)_/.test(key)) throw invalidApiKey();
  const { message } = await ask(transport, coreToken, key, requestId);
  const mode = message.mode === Mode.LIVE ? "live" : "test";
  if (mode !== word) throw invalidApiKey();
  return { tenantId: message.tenantId, mode, scopes: message.scopes };
}

async function ask(transport: Transport, coreToken: string, key: string, requestId: string) {
  const request = create(AuthenticateApiKeyRequestSchema, { keyHash: hash("sha256", key, "buffer") });
  const header = { authorization: `Bearer ${coreToken}`, "paylink-request-id": requestId };
  return await transport.unary(
    IdentityService.method.authenticateApiKey,
    undefined,
    TIMEOUT_MS,
    header,
    request,
  );
}

/** Errors: insufficient_scope; not_available_in_live on a sandbox-only route. */
export function authorize({ scope, isSandboxOnly }: Route, caller: Caller): void {
  if (!caller.scopes.includes(scope)) {
    throw new PublicError("insufficient_scope", `The API key lacks the scope ${scope}.`);
  }
  if (isSandboxOnly && caller.mode === "live") {
    throw new PublicError("not_available_in_live", "This is available with a test key only.");
  }
}

function invalidApiKey(): PublicError {
  return new PublicError("invalid_api_key", "The API key is missing, invalid or revoked.");
}
