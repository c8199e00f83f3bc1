import { create, type DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  Code,
  ConnectError,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import type { Admit } from "../rpc/core-access.ts";
import { invalidRequest, toConnectError } from "../rpc/errors.ts";
import { requireDecodable } from "./message-bounds.ts";

/** Admits or refuses a call by its headers, before its body is read. */
export type Gate = (context: HandlerContext) => Promise<void>;

const ENCODING_HEADERS = ["grpc-encoding", "content-encoding", "connect-content-encoding"];

/**
 * Refuses compressed requests, addresses whose message cannot be decoded, and what `admit` refuses. The `around` interceptors
 * see a refusal of `admit` like every other failed call. Errors besides those of `admit`: unimplemented, which both
 * protocols use for an unknown encoding; invalid_request.
 */
export function createGate(admit: Admit, around: readonly Interceptor[]): Gate {
  return async (context) => {
    const { method, requestHeader: header, values } = context;
    try {
      await admit({ method, header, values });
    } catch (error) {
      await refused(context, around, error);
      throw error;
    }
    const query = context.requestMethod === "GET" ? new URL(context.url).searchParams : undefined;
    const encodings = ENCODING_HEADERS.map((name) => context.requestHeader.get(name));
    refuseCompressed([...encodings, query?.get("compression")]);
    if (query) requireReadable(query, method);
  };
}

function refuseCompressed(encodings: readonly (string | null | undefined)[]): void {
  if (encodings.every((name) => (name ?? "") === "" || name === "identity")) return;
  throw new ConnectError("Requests must not be compressed.", Code.Unimplemented);
}

/** Connect calls a message in an address that cannot be decoded a fault of ours. */
function requireReadable(query: URLSearchParams, method: DescMethod): void {
  const text = query.get("message") ?? "";
  const bytes = query.get("base64") === "1" ? decoded(text) : Buffer.from(text);
  if (query.get("encoding") === "proto") requireDecodable(method, bytes);
}

function decoded(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw toConnectError(invalidRequest(null, "The message is not in base64."));
  }
}

async function refused(
  context: HandlerContext,
  around: readonly Interceptor[],
  error: unknown,
): Promise<void> {
  const fail = around.reduceRight<ReturnType<Interceptor>>(
    (next, interceptor) => interceptor(next),
    async () => await Promise.reject(error),
  );
  const { service, method, requestMethod, url, signal, requestHeader: header, values } = context;
  const common = { service, method, requestMethod, url, signal, header, contextValues: values };
  // There is no message, because the body was not read.
  const request =
    method.methodKind === "unary"
      ? { ...common, stream: false, message: create(method.input) }
      : { ...common, stream: true, message: (async function* () {})() };
  await fail(request as UnaryRequest | StreamRequest);
}
