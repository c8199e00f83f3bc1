import { HEADERS, CallHeaders, keyHeader } from "../../contract/headers.ts";
import type { Transport } from "@connectrpc/connect";
import type { Message } from "@bufbuild/protobuf";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ADDRESS_CHARACTERS_MAX, type Caller } from "./authenticate.ts";
import { note } from "../http/request-observer.ts";
import { sendJson } from "../http/replies.ts";
import { CORE_TIMEOUT_MS } from "./core-timeout.ts";
import type { Route } from "../transcode/route.ts";

/** How a gateway calls its core. */
export interface CoreOptions {
  readonly transport: Transport;
  readonly coreToken: string;
}

/** Who calls a route that is not public. */
export interface RouteCaller {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** Counts the request as more than one for its rate limits. */
  readonly countAs: (requestCount: number) => Promise<void>;
}

/** Calls a route's RPC for a caller and sends the response as the contract's JSON. */
export async function callCore(
  { transport, coreToken }: CoreOptions,
  route: Route,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, idempotencyKey, countAs }: Partial<RouteCaller> = {},
): Promise<FastifyReply> {
  const headers = new CallHeaders({ authorization: `Bearer ${coreToken}`, [HEADERS.requestId]: request.id });
  if (caller) {
    headers.set(HEADERS.tenant, caller.tenantId);
    headers.set(HEADERS.mode, caller.mode);
    if (route.isForAnyKey) tellOfKey(headers, caller, reply);
    if (route.isAudited) {
      headers.set(HEADERS.actor, caller.keyId);
      headers.set(HEADERS.actorAddress, request.ip.slice(0, ADDRESS_CHARACTERS_MAX));
    }
  }
  if (idempotencyKey !== undefined) headers.set(...keyHeader(idempotencyKey));
  const response = await transport.unary(route.method, undefined, CORE_TIMEOUT_MS, headers, message);
  if (response.header.get(HEADERS.idempotentReplay) === "true") {
    note(request, { outcome: "replay" });
    reply.header(HEADERS.idempotentReplay, "true");
    reply.header(HEADERS.publicRequestId, response.header.get(HEADERS.requestId) ?? request.id);
  }
  const requestCount = Number(response.header.get(HEADERS.requestCount) ?? 1);
  if (requestCount > 1) await countAs?.(requestCount);
  return sendJson(reply, route.status, route.write(response.message));
}

/** Names the key to an RPC that is about it, with what the answer's headers say of its rate limits. */
function tellOfKey(headers: CallHeaders, { keyId }: Caller, reply: FastifyReply): void {
  headers.set(HEADERS.actor, keyId);
  for (const name of [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]) {
    const value = reply.getHeader(name);
    if (value !== undefined) headers.set(name, String(value));
  }
}
