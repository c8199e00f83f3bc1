import { webAddress } from "../../../contract/web-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { ProviderFault } from "../provider-fault.ts";
import { objectIn, refusalOf } from "../answers.ts";
import { dateOf, type ApiPixClient } from "./client.ts";
import { isSameKey } from "./pix-key.ts";
import { REPORT_SCOPES, SCOPES } from "./token.ts";

/** What a bank says of an account. */
export interface Verification {
  /** The scopes that are of use and were not granted. */
  readonly missingScopes: readonly string[];
  /** The address at which the bank calls back; null if none is registered, or it is not known. */
  readonly registeredUrl: string | null;
  /** True: that address is another system's. */
  readonly isOther: boolean;
  /** False: the bank named another key than was asked about. Null: it named none. */
  readonly isKeyConfirmed: boolean | null;
  /** The bank's time minus ours; null if its answers have no time. */
  readonly clockSkewSeconds: number | null;
}

/** The account's address of callbacks, and what may be done with it. */
export interface CallbackRegistration {
  readonly callbackUrl: string;
  /** True: it is set first. */
  readonly isRegistered: boolean;
  /** True: in place of another system's address, too. */
  readonly isReplaced: boolean;
}

/** What a bank has under a key. */
type Webhook = Pick<Verification, "registeredUrl" | "isKeyConfirmed" | "clockSkewSeconds">;

const UNKNOWN: Webhook = { registeredUrl: null, isKeyConfirmed: null, clockSkewSeconds: null };

/**
 * Asks the bank what the account may do. Of keys the API Pix shows one that calls back alone. A bank keeps one address a key,
 * so another system's is replaced only where that is asked for. A call whose scope is missing is not made. Throws
 * ProviderFault.
 */
export async function verifyAccount(
  client: ApiPixClient,
  clock: Clock,
  { callbackUrl, isRegistered, isReplaced }: CallbackRegistration,
): Promise<Verification> {
  const { scopes } = await client.token();
  const needed: readonly string[] = client.account.profile.hasReports
    ? [...SCOPES, ...REPORT_SCOPES]
    : SCOPES;
  const missingScopes = scopes === null ? [] : needed.filter((scope) => !scopes.includes(scope));
  const read = async (): Promise<Webhook> =>
    missingScopes.includes("webhook.read") ? UNKNOWN : await readWebhook(client, clock);
  const before = await read();
  const isOther = (url: string | null): boolean => url !== null && placeOf(url) !== placeOf(callbackUrl);
  const mayReplace = isReplaced || (before !== UNKNOWN && !isOther(before.registeredUrl));
  const isSet = isRegistered && mayReplace && !missingScopes.includes("webhook.write");
  if (isSet) await register(client, callbackUrl);
  const found = isSet ? await read() : before;
  return { missingScopes, isOther: isOther(found.registeredUrl), ...found };
}

async function readWebhook(client: ApiPixClient, clock: Clock): Promise<Webhook> {
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
  const { webhookUrl: url, chave: key } = answer.status === 404 ? {} : (fields ?? {});
  const answeredAt = dateOf(answer);
  const betweenMs = (sentMs + now.getTime()) / 2;
  return {
    registeredUrl: typeof url === "string" && url !== "" ? url : null,
    isKeyConfirmed: typeof key === "string" ? isSameKey(key, client.account.pixKey) : null,
    clockSkewSeconds: answeredAt && Math.round((answeredAt.getTime() - betweenMs) / 1000),
  };
}

/** Returns an address without its last part: those of all accounts of one service are at one place. */
function placeOf(address: string): string {
  const url = webAddress(address);
  return url ? new URL(".", url).href : address;
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
