import { webAddress } from "../../../contract/web-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { ProviderFault } from "../provider-fault.ts";
import { objectIn, refusalOf } from "../answers.ts";
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

/**
 * Asks the bank what the account may do. `registerUrl`: sets the address of callbacks first. A call whose scope is
 * missing is not made. Throws ProviderFault.
 */
export async function verifyAccount(
  client: ApiPixClient,
  clock: Clock,
  registerUrl?: string,
): Promise<Verification> {
  const { scopes } = await client.token();
  const missingScopes = scopes === null ? [] : SCOPES.filter((scope) => !scopes.includes(scope));
  if (registerUrl !== undefined && !missingScopes.includes("webhook.write")) {
    await register(client, registerUrl);
  }
  if (missingScopes.includes("webhook.read")) {
    return { missingScopes, registeredUrl: null, clockSkewSeconds: null };
  }
  const sentMs = clock.nowMs();
  const answer = await client.send({ method: "GET", resource: "webhook", path: pathOf(client) });
  const now = new Date(clock.nowMs());
  if (answer.status !== 404 && (answer.status < 200 || answer.status > 299)) {
    throw refusalOf(answer, "GET /webhook", now);
  }
  const fields = objectIn(answer.text);
  if (!fields && answer.status !== 404) {
    throw new ProviderFault("unknown", "GET /webhook was answered with no JSON object");
  }
  const url = answer.status === 404 ? null : fields?.["webhookUrl"];
  const { date } = answer.headers;
  const dateMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const betweenMs = (sentMs + now.getTime()) / 2;
  return {
    missingScopes,
    registeredUrl: typeof url === "string" ? url : null,
    clockSkewSeconds: Number.isNaN(dateMs) ? null : Math.round((dateMs - betweenMs) / 1000),
  };
}

async function register(client: ApiPixClient, webhookUrl: string): Promise<void> {
  // Callbacks that a secret in the address proves show no certificate.
  const isOpen = webAddress(webhookUrl)?.searchParams.has("hmac") === true;
  const { openCallbackHeaders: headers } = client.account.profile;
  const set = await client.call({
    method: "PUT",
    resource: "webhook",
    path: pathOf(client),
    body: { webhookUrl },
    ...(isOpen && headers ? { headers } : {}),
  });
  if (!set.isFound) throw new ProviderFault("refused", "the bank does not know the account's key");
}

function pathOf({ account }: ApiPixClient): string {
  return `/webhook/${encodeURIComponent(account.pixKey)}`;
}
