import type { ContextValues } from "@connectrpc/connect";
import { isKnownCaller } from "../core-access.ts";
import { namedToken } from "../named-token.ts";

/** Who calls by a port, as its bounds see them: gateways, which call for all merchants and payers, have bounds apart. */
export type CallerKind = "stranger" | "token" | "gateway";

export function callerKind(values: ContextValues): CallerKind {
  const token = values.get(namedToken);
  if (token && !token.isGateway) return "token";
  return token || values.get(isKnownCaller) ? "gateway" : "stranger";
}

/**
 * Returns what the bounds of a call with a named token are counted for: the company that it is bound to, as its tokens may
 * make more of them, or the token. Undefined: it has none, or a gateway's.
 */
export function tokenHolder(values: ContextValues): string | undefined {
  const token = values.get(namedToken);
  return token && !token.isGateway ? (token.tenantId ?? token.id) : undefined;
}
