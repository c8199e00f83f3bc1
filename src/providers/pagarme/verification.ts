import { optionalText, rowsOf } from "../answer-fields.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { PagarmeClient } from "./client.ts";

/** What Pagar.me says of an account. */
export interface Verification {
  /** True: it has posted to the address. There is no call that says where it posts, or that sets it. */
  readonly isRegistered: boolean;
  /** True: no callback can be proven, as there is no key of their signatures. */
  readonly isWithoutKeys: boolean;
}

const HOOKS_MAX = 30;

/**
 * Asks Pagar.me whether it takes the key, whether it called back at the address, and for the keys of its signatures, if
 * it signs. Throws ProviderFault.
 */
export async function verifyAccount(
  client: PagarmeClient,
  url: string,
  isSigning: boolean,
): Promise<Verification> {
  const found = await client.call("GET", `/hooks?size=${HOOKS_MAX}`);
  if (!found) throw new ProviderFault("unknown", "the list of hooks was answered with 404");
  const isRegistered = rowsOf(found, "data").some((hook) => optionalText(hook, "url") === url);
  return { isRegistered, isWithoutKeys: isSigning && (await client.callbackKeys.read()) === 0 };
}
