import { hostOf, isLoopbackHost } from "../platform/text/host-in-url.ts";
import { readOutsideUrl, type AddressPolicy } from "../platform/outside/outside-address.ts";
import type { GivenSettings, Setting } from "./settings.ts";
import type { ReadConfig } from "./stored-config.ts";

/** The address of a provider that has one of its own, so that an account names a simulator alone. */
export const SIMULATOR_ADDRESS: Setting = {
  name: "base_url",
  kind: "address",
  label: ["Endereço de um simulador", "Address of a simulator"],
  help: [
    "Só para ensaios, na própria máquina do serviço. Deixe vazio para dinheiro de verdade.",
    "Only for rehearsals, on the service's own machine. Leave it empty for real money.",
  ],
};

/**
 * Returns the addresses that an account names: none, or a simulator's. A key is sent to its provider alone: a simulator is
 * on this machine, and only where that is allowed. Error: invalid_request on base_url.
 */
export function simulatorAddresses(given: GivenSettings, policy: AddressPolicy): ReadConfig["addresses"] {
  const { name } = SIMULATOR_ADDRESS;
  const text = given.text(name);
  if (text === "") return [];
  const use = {
    param: given.paramOf(name),
    isHttpAllowed: true,
    refusal: "providers are not reached there",
  };
  const url = readOutsideUrl(text, policy, use);
  if (!isLoopbackHost(hostOf(url.href))) {
    throw given.wrong(name, "is for a simulator on the service's own machine: leave it out.");
  }
  if (text.endsWith("/") || url.search !== "") {
    throw given.wrong(name, "must have no trailing slash and no query.");
  }
  return [{ url, use }];
}
