import { hash } from "node:crypto";
import type { PagarmeConfig } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import {
  INSTALLMENTS_DEFAULT,
  INSTALLMENTS_MAX,
  isLiveKey,
  JWKS_PATH,
  LIVE_BASE_URL,
  LIVE_JWKS_URL,
  type PagarmeAccount,
} from "./account.ts";
import { readCallbackKey } from "./callback-keys.ts";
import { invalidRequest, type PaylinkError } from "../../platform/rpc/errors.ts";
import type { AddressPolicy } from "../../platform/outside/outside-address.ts";
import { simulatorAddress } from "../simulator-address.ts";
import type { OwnSecrets, ReadConfig, StoredConfig, StoredProof } from "../stored-config.ts";

const FINGERPRINT_CHARACTERS = 16;
const LAST_CHARACTERS = 4;

/** What is encrypted of an account at Pagar.me. */
export interface StoredPagarmeConfig extends StoredConfig {
  readonly secretKey: string;
  readonly publicKey: string;
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  readonly installmentsMax: number;
  /** A whole number of centavos. */
  readonly leastInstallment: number;
  readonly hasAntifraud: boolean;
  readonly callback: Extract<StoredProof, { readonly kind: "signature" }>;
}

/** Returns true for the config of an account at Pagar.me. */
export function isPagarmeConfig(config: StoredConfig): config is StoredPagarmeConfig {
  return "secretKey" in config;
}

/** Checks the config of an account at Pagar.me. Error: invalid_request on the field that is missing or wrong. */
export function readPagarmeConfig(
  given: PagarmeConfig,
  policy: AddressPolicy,
  own: OwnSecrets,
): ReadConfig<StoredPagarmeConfig> {
  const { secretKey, publicKey, callbackKey, maxInstallments, leastInstallment, baseUrl } = given;
  if (secretKey === "") throw wrong("secret_key", "is missing.");
  if (!isLiveKey("secret", secretKey)) {
    throw wrong("secret_key", "must be a key of live mode: it begins with sk_, and not with sk_test_.");
  }
  if (publicKey === "") throw wrong("public_key", "is missing.");
  if (!isLiveKey("public", publicKey)) {
    throw wrong("public_key", "must be a key of live mode: it begins with pk_, and not with pk_test_.");
  }
  if (callbackKey !== "" && !readCallbackKey(callbackKey)) {
    throw wrong(
      "callback_key",
      "is no RSA public key of 2048 to 8192 bits, with an exponent of at most 32, in PEM.",
    );
  }
  const addresses = baseUrl === "" ? [] : [simulatorAddress("pagarme", baseUrl, policy)];
  return {
    config: {
      secretKey,
      publicKey,
      baseUrl: baseUrl === "" ? null : baseUrl,
      installmentsMax: maxInstallments === 0 ? INSTALLMENTS_DEFAULT : maxInstallments,
      leastInstallment: Number(leastInstallment),
      hasAntifraud: !given.isWithoutAntifraud,
      callback: { kind: "signature", key: callbackKey === "" ? null : callbackKey },
      callbackSecret: own.callbackSecret,
    },
    columns: {
      fingerprint: hash("sha256", secretKey).slice(0, FINGERPRINT_CHARACTERS),
      lastFour: secretKey.slice(-LAST_CHARACTERS),
      certificateSubject: null,
      certificateNotAfter: null,
      callbackProof: "signature",
      isDemo: addresses.length > 0,
    },
    addresses,
  };
}

/** Returns the account as the adapter takes it. */
export function pagarmeAccount(id: string, config: StoredPagarmeConfig): PagarmeAccount {
  const { secretKey, publicKey, baseUrl, installmentsMax, leastInstallment, hasAntifraud, callback } = config;
  return {
    id,
    secretKey,
    publicKey,
    baseUrl: baseUrl ?? LIVE_BASE_URL,
    jwksUrl: baseUrl === null ? LIVE_JWKS_URL : new URL(JWKS_PATH, baseUrl).href,
    callbackKey: callback.key,
    installmentsMax: Math.min(installmentsMax, INSTALLMENTS_MAX),
    leastInstallmentMinor: BigInt(Math.max(1, leastInstallment)),
    // Its antifraud judges by the phone and the address, too.
    payerFields: ["name", "email", "document", ...(hasAntifraud ? (["phone", "address"] as const) : [])],
  };
}

function wrong(field: string, what: string): PaylinkError {
  return invalidRequest(`pagarme.${field}`, `${field} ${what}`);
}
