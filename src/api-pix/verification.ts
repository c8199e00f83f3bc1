import type { Clock } from "../platform/clock.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { refusalOf } from "./answers.ts";
import type { ApiPixClient } from "./client.ts";
import { SCOPES } from "./token.ts";

/** What a bank says of an account. */
export interface Verification {
  /** The scopes that were asked for and not granted. */
  readonly missingScopes: readonly string[];
  /** The address at which the bank calls back; null if none is registered. */
  readonly registeredUrl: string | null;
  /** The bank's time minus ours; null if its answers have no time. */
  readonly clockSkewSeconds: number | null;
}

/** Asks the bank what the account may do. `registerUrl`: sets the address of callbacks first. Throws ProviderFault. */
export async function verifyAccount(
  client: ApiPixClient,
  clock: Clock,
  registerUrl?: string,
): Promise<Verification> {
  const { scopes } = await client.token();
  const missingScopes = scopes === null ? [] : SCOPES.filter((scope) => !scopes.includes(scope));
  const path = `/webhook/${encodeURIComponent(client.account.pixKey)}`;
  if (registerUrl !== undefined) {
    const body = { webhookUrl: registerUrl };
    const set = await client.call({ method: "PUT", resource: "webhook", path, body });
    if (!set.isFound) throw new ProviderFault("refused", "the bank does not know the account's key");
  }
  const sentMs = clock.nowMs();
  const answer = await client.send({ method: "GET", resource: "webhook", path });
  const now = new Date(clock.nowMs());
  if (answer.status !== 404 && (answer.status < 200 || answer.status > 299)) {
    throw refusalOf(answer, "GET /webhook", now);
  }
  const url =
    answer.status === 404 ? undefined : (JSON.parse(answer.text) as { webhookUrl?: unknown }).webhookUrl;
  const { date } = answer.headers;
  const dateMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const betweenMs = (sentMs + now.getTime()) / 2;
  return {
    missingScopes,
    registeredUrl: typeof url === "string" ? url : null,
    clockSkewSeconds: Number.isNaN(dateMs) ? null : Math.round((dateMs - betweenMs) / 1000),
  };
}
