import { hash } from "node:crypto";
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
import { readAll } from "../../platform/rpc/errors.ts";
import type { AddressPolicy } from "../../platform/outside/outside-address.ts";
import type { GivenSettings } from "../settings.ts";
import { simulatorAddresses } from "../simulator-address.ts";
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

/** Checks the settings of an account at Pagar.me. Error: invalid_request on each that is missing or wrong. */
export function readPagarmeConfig(
  given: GivenSettings,
  policy: AddressPolicy,
  own: OwnSecrets,
): ReadConfig<StoredPagarmeConfig> {
  const [secretKey, publicKey] = [given.text("secret_key"), given.text("public_key")];
  const { callbackKey, installmentsMax, leastInstallment, addresses } = readAll<Read>({
    given: () => given.check(),
    keys: () => requireLiveKeys(given),
    callbackKey: () => readKeyOfCallbacks(given),
    installmentsMax: () => given.whole("max_installments", 1, 24) ?? INSTALLMENTS_DEFAULT,
    leastInstallment: () => given.whole("least_installment", 1, 100_000_000) ?? 0,
    addresses: () => simulatorAddresses(given, policy),
  });
  return {
    config: {
      secretKey,
      publicKey,
      baseUrl: given.textOrNull("base_url"),
      installmentsMax,
      leastInstallment,
      hasAntifraud: given.text("antifraud") !== "false",
      callback: { kind: "signature", key: callbackKey },
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

/** What each part of a config reads to. */
interface Read {
  readonly given: void;
  readonly keys: void;
  readonly callbackKey: string | null;
  readonly installmentsMax: number;
  readonly leastInstallment: number;
  readonly addresses: ReadConfig["addresses"];
}

function requireLiveKeys(given: GivenSettings): void {
  const read = (name: string, kind: "secret" | "public", prefix: string) => (): void => {
    const key = given.text(name);
    if (key === "" || isLiveKey(kind, key)) return;
    throw given.wrong(
      name,
      `must be a key of live mode: it begins with ${prefix}_, and not with ${prefix}_test_.`,
    );
  };
  readAll<{ secret: void; public: void }>({
    secret: read("secret_key", "secret", "sk"),
    public: read("public_key", "public", "pk"),
  });
}

/** Returns the account's own key of callbacks' signatures, or null for those that the provider publishes. */
function readKeyOfCallbacks(given: GivenSettings): string | null {
  const key = given.textOrNull("callback.key");
  if ((key === null) !== (given.text("callback.keys") === "published")) {
    throw given.wrong("callback.keys", "must be published, or callback.key a key in its place.");
  }
  if (key !== null && !readCallbackKey(key)) {
    const problem = "is no RSA public key of 2048 to 8192 bits, with an exponent of at most 32, in PEM.";
    throw given.wrong("callback.key", problem);
  }
  return key;
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
