import { hostOf, isLoopbackHost } from "../platform/text/host-in-url.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { readOutsideUrl, type AddressPolicy } from "../platform/outside/outside-address.ts";
import type { ReadConfig } from "./stored-config.ts";

/**
 * Checks the base_url of a card account. A key is sent to its provider alone: a simulator is on this machine, and only
 * where that is allowed. Error: invalid_request on base_url of the profile's config.
 */
export function simulatorAddress(
  profile: string,
  text: string,
  policy: AddressPolicy,
): ReadConfig["addresses"][number] {
  const param = `${profile}.base_url`;
  const use = { param, isHttpAllowed: true, refusal: "providers are not reached there" };
  const url = readOutsideUrl(text, policy, use);
  if (!isLoopbackHost(hostOf(url.href))) {
    throw invalidRequest(param, "base_url is for a simulator on the service's own machine: leave it out.");
  }
  if (text.endsWith("/") || url.search !== "") {
    throw invalidRequest(param, "base_url must have no trailing slash and no query.");
  }
  return { url, use };
}
