import { hash } from "node:crypto";
import { AsaasPage, type AsaasConfig } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { LIVE_BASE_URL, LIVE_KEY_PREFIX, type AsaasAccount, type AsaasPage as Page } from "./account.ts";
import { invalidRequest, type PaylinkError } from "../../platform/rpc/errors.ts";
import type { AddressPolicy } from "../../platform/outside/outside-address.ts";
import { simulatorAddress } from "../simulator-address.ts";
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

/** Checks the config of an account at Asaas. Error: invalid_request on the field that is missing or wrong. */
export function readAsaasConfig(
  { apiKey, callbackToken, page, baseUrl }: AsaasConfig,
  policy: AddressPolicy,
  own: OwnSecrets,
): ReadConfig<StoredAsaasConfig> {
  if (apiKey === "") throw wrong("api_key", "is missing.");
  if (!apiKey.startsWith(LIVE_KEY_PREFIX) || !KEY.test(apiKey)) {
    throw wrong("api_key", `must be a key of live mode: it begins with ${LIVE_KEY_PREFIX}.`);
  }
  if (!TOKEN.test(callbackToken)) {
    throw wrong("callback_token", "must have 32 to 255 visible ASCII characters.");
  }
  const addresses = baseUrl === "" ? [] : [simulatorAddress("asaas", baseUrl, policy)];
  return {
    config: {
      apiKey,
      page: page === AsaasPage.CHECKOUT ? "checkout" : "invoice",
      baseUrl: baseUrl === "" ? null : baseUrl,
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

function wrong(field: string, what: string): PaylinkError {
  return invalidRequest(`asaas.${field}`, `${field} ${what}`);
}
