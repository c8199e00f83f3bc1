import type { ProviderRequest } from "../provider/server.ts";
import { invalid, problemOf } from "./problem.ts";
import type { Account } from "./state.ts";

/** Returns the account of a secret key: the user of a Basic authorization, without a password. */
export function accountOfSecret({ headers }: ProviderRequest, accounts: readonly Account[]): Account {
  const [scheme = "", text = ""] = (headers.authorization ?? "").split(" ");
  const given = Buffer.from(text, "base64").toString("utf8");
  const account = accounts.find(({ secretKey }) => given === `${secretKey}:`);
  if (scheme.toLowerCase() !== "basic" || !account) throw problemOf(401);
  return account;
}

/** Returns the account of a public key in an address. */
export function accountOfPublic(query: URLSearchParams, accounts: readonly Account[]): Account {
  const account = accounts.find(({ publicKey }) => publicKey === query.get("appId"));
  if (!account) throw invalid("appId", "The key is not accepted.");
  return account;
}

/** Returns what lets a page of an origin read the answer. A page of an unknown host gets nothing. */
export function corsHeaders(
  { headers }: ProviderRequest,
  account: Account | undefined,
): Readonly<Record<string, string>> {
  const { origin } = headers;
  const host = origin === undefined ? undefined : URL.parse(origin)?.hostname;
  if (origin === undefined || host === undefined || !account) return {};
  if (account.domains !== null && !account.domains.includes(host)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type",
    vary: "origin",
  };
}
