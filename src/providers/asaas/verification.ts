import { ProviderFault } from "../provider-fault.ts";
import type { AsaasClient } from "./client.ts";
import { optionalText, type Fields } from "./json.ts";
import { idOf } from "./messages.ts";
import type { CallPurpose } from "./quota.ts";

/** What Asaas says of an account. */
export interface Verification {
  /** True: Asaas calls back at the address. */
  readonly isRegistered: boolean;
  /** True: it failed to call back too often, and waits until it is set to go on. */
  readonly isInterrupted: boolean;
}

/** Where and how Asaas calls back. */
export interface CallbackAddress {
  readonly url: string;
  readonly token: string;
}

const NAME = "paylink";
/** The news that a charge is asked about. */
const EVENTS = [
  "PAYMENT_CONFIRMED",
  "PAYMENT_RECEIVED",
  "PAYMENT_AUTHORIZED",
  "PAYMENT_AWAITING_RISK_ANALYSIS",
  "PAYMENT_APPROVED_BY_RISK_ANALYSIS",
  "PAYMENT_REPROVED_BY_RISK_ANALYSIS",
  "PAYMENT_CREDIT_CARD_CAPTURE_REFUSED",
  "PAYMENT_DELETED",
  "PAYMENT_REFUND_IN_PROGRESS",
  "PAYMENT_REFUND_DENIED",
  "PAYMENT_REFUNDED",
  "PAYMENT_PARTIALLY_REFUNDED",
  "PAYMENT_CHARGEBACK_REQUESTED",
  "PAYMENT_CHARGEBACK_DISPUTE",
  "PAYMENT_AWAITING_CHARGEBACK_REVERSAL",
  "BALANCE_VALUE_BLOCKED",
  "BALANCE_VALUE_UNBLOCKED",
];

/** Asks Asaas whether it takes the key, and how it calls back. `isSet`: sets the address first. Throws ProviderFault. */
export async function verifyAccount(
  client: AsaasClient,
  address: CallbackAddress,
  isSet: boolean,
): Promise<Verification> {
  const before = await registered(client, address);
  if (isSet) await register(client, address, before);
  const webhook = isSet ? await registered(client, address) : before;
  return {
    isRegistered: webhook !== undefined && webhook["enabled"] === true,
    isInterrupted: webhook?.["interrupted"] === true,
  };
}

/** Returns true if Asaas has stopped to call back at the address. It is one call that no payer waits for. Throws ProviderFault. */
export async function isInterrupted(
  client: Pick<AsaasClient, "list">,
  address: Pick<CallbackAddress, "url">,
): Promise<boolean> {
  return (await registered(client, address, "check"))?.["interrupted"] === true;
}

async function registered(
  client: Pick<AsaasClient, "list">,
  { url }: Pick<CallbackAddress, "url">,
  purpose: CallPurpose = "payer",
): Promise<Fields | undefined> {
  return (await client.list("/webhooks", {}, { purpose })).find((webhook) => webhook["url"] === url);
}

/** Sets the address, its secret and the events that are sent there. A queue that was interrupted goes on. */
async function register(
  client: AsaasClient,
  { url, token }: CallbackAddress,
  earlier: Fields | undefined,
): Promise<void> {
  const body = {
    name: NAME,
    url,
    enabled: true,
    interrupted: false,
    apiVersion: 3,
    authToken: token,
    sendType: "NON_SEQUENTIALLY",
    events: EVENTS,
  };
  const made = earlier
    ? await client.call("PUT", `/webhooks/${encodeURIComponent(idOf(earlier, "id"))}`, { body })
    : await client.call("POST", "/webhooks", { body: { ...body, ...(await ownEmail(client)) } });
  if (!made) throw new ProviderFault("unknown", "the address of callbacks was answered with 404");
}

/**
 * Returns the e-mail of the account's owner, to whom Asaas writes when it fails to call back: a new address needs one.
 * Nothing if the key may not read it.
 */
async function ownEmail(client: AsaasClient): Promise<{ readonly email?: string }> {
  const owner = await client.call("GET", "/myAccount/commercialInfo").catch((error: unknown) => {
    const isDenied =
      error instanceof ProviderFault && (error.kind === "misconfigured" || error.kind === "refused");
    if (!isDenied) throw error;
    return undefined;
  });
  const email = owner && optionalText(owner, "email");
  return email == null ? {} : { email };
}
