import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import type { Admit } from "../core-access.ts";

/** Admits or refuses a call by its headers, before its body is read. */
export type Gate = (context: HandlerContext) => Promise<void>;

const ENCODING_HEADERS = ["grpc-encoding", "content-encoding", "connect-content-encoding"];

/**
 * Refuses compressed requests and those that `admit` refuses. The `around` interceptors see a refusal of `admit` like
 * every other failed call. Error besides those of `admit`: unimplemented, which both protocols use for an unknown
 * encoding.
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
    refuseCompressed(context);
  };
}

function refuseCompressed({ requestHeader }: HandlerContext): void {
  const named = ENCODING_HEADERS.map((name) => requestHeader.get(name));
  if (named.every((name) => name === null || name === "" || name === "identity")) return;
  throw new ConnectError("Requests must not be compressed.", Code.Unimplemented);
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
