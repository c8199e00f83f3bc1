import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "./problem.ts";
import type { Account } from "./state.ts";

export type AsaasMode = "sandbox" | "production";

const PREFIXES: Readonly<Record<AsaasMode, string>> = {
  sandbox: "$aact_hmlg_",
  production: "$aact_prod_",
};

/** Returns the account of a request's key. Throws Problem, in the order in which the provider looks. */
export function accountOf(
  headers: IncomingHttpHeaders,
  accounts: readonly Account[],
  mode: AsaasMode,
): Account {
  const key = headers["access_token"];
  if (typeof key !== "string" || key === "") throw refused("access_token_not_found", "O access_token falta.");
  const other: AsaasMode = mode === "sandbox" ? "production" : "sandbox";
  if (key.startsWith(PREFIXES[other])) throw refused("invalid_environment", "A chave é de outro ambiente.");
  if (!key.startsWith(PREFIXES[mode]))
    throw refused("invalid_access_token_format", "A chave não tem a forma certa.");
  const account = accounts.find(({ apiKey }) => apiKey === key);
  if (!account) throw refused("invalid_access_token", "A chave de API não vale.");
  if (!headers["user-agent"]) throw new Problem(400, "invalid_user_agent", "O cabeçalho User-Agent falta.");
  return account;
}

function refused(code: string, description: string): Problem {
  return new Problem(401, code, description);
}
