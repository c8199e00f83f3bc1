import { hash } from "node:crypto";
import { LIVE_BASE_URL, LIVE_KEY_PREFIX, type AsaasAccount, type AsaasPage as Page } from "./account.ts";
import { readAll } from "../../platform/rpc/errors.ts";
import type { AddressPolicy } from "../../platform/outside/outside-address.ts";
import type { GivenSettings } from "../settings.ts";
import { simulatorAddresses } from "../simulator-address.ts";
import type { OwnSecrets, ReadConfig, StoredConfig } from "../stored-config.ts";

const FINGERPRINT_CHARACTERS = 16;
const LAST_CHARACTERS = 4;
const TOKEN = /^[!-~]{32,255}$/;
const KEY = /^[!-~]+$/;

/** What is encrypted of an account at Asaas. */
export interface StoredAsaasConfig extends StoredConfig {
  readonly apiKey: string;
  /** Absent: the invoice's. */
  readonly page?: Page;
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  readonly callback: { readonly kind: "token"; readonly secret: string };
}

/** Returns true for the config of an account at Asaas. */
export function isAsaasConfig(config: StoredConfig): config is StoredAsaasConfig {
  return "apiKey" in config;
}

/** Checks the settings of an account at Asaas. Error: invalid_request on each that is missing or wrong. */
export function readAsaasConfig(
  given: GivenSettings,
  policy: AddressPolicy,
  own: OwnSecrets,
): ReadConfig<StoredAsaasConfig> {
  const [apiKey, callbackToken] = [given.text("api_key"), given.text("callback_token")];
  const { addresses } = readAll<{ given: void; key: void; token: void; addresses: ReadConfig["addresses"] }>({
    given: () => given.check(),
    key: () => {
      if (apiKey === "" || (apiKey.startsWith(LIVE_KEY_PREFIX) && KEY.test(apiKey))) return;
      throw given.wrong("api_key", `must be a key of live mode: it begins with ${LIVE_KEY_PREFIX}.`);
    },
    token: () => {
      if (callbackToken === "" || TOKEN.test(callbackToken)) return;
      throw given.wrong("callback_token", "must have 32 to 255 visible ASCII characters.");
    },
    addresses: () => simulatorAddresses(given, policy),
  });
  return {
    config: {
      apiKey,
      page: given.text("page") === "checkout" ? "checkout" : "invoice",
      baseUrl: given.textOrNull("base_url"),
      callback: { kind: "token", secret: callbackToken },
      callbackSecret: own.callbackSecret,
    },
    columns: {
      fingerprint: hash("sha256", apiKey).slice(0, FINGERPRINT_CHARACTERS),
      lastFour: apiKey.slice(-LAST_CHARACTERS),
      certificateSubject: null,
      certificateNotAfter: null,
      callbackProof: "token",
      isDemo: addresses.length > 0,
    },
    addresses,
  };
}

/** Returns the account as the adapter takes it. */
export function asaasAccount(
  id: string,
  { apiKey, page = "invoice", baseUrl }: StoredAsaasConfig,
): AsaasAccount {
  return { id, apiKey, page, baseUrl: baseUrl ?? LIVE_BASE_URL };
}
