import { hash } from "node:crypto";
import {
  DISPUTES_PATH,
  INSTALLMENTS_DEFAULT,
  INSTALLMENTS_MAX,
  isLiveKey,
  JWKS_PATH,
  LIVE_BASE_URL,
  LIVE_DISPUTES_URL,
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
// HTTP Basic has a colon between them.
const USER = /^[!-9;-~]{1,255}$/;
const PASSWORD = /^[!-~]{16,255}$/;

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
  readonly callback: Extract<StoredProof, { readonly kind: "signature" | "basic" }>;
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
  const { callback, installmentsMax, leastInstallment, addresses } = readAll<Read>({
    given: () => given.check(),
    keys: () => requireLiveKeys(given),
    callback: () => readProof(given),
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
      callback,
      callbackSecret: own.callbackSecret,
    },
    columns: {
      fingerprint: hash("sha256", secretKey).slice(0, FINGERPRINT_CHARACTERS),
      lastFour: secretKey.slice(-LAST_CHARACTERS),
      certificateSubject: null,
      certificateNotAfter: null,
      callbackProof: callback.kind,
      isDemo: addresses.length > 0,
    },
    addresses,
  };
}

/** What each part of a config reads to. */
interface Read {
  readonly given: void;
  readonly keys: void;
  readonly callback: StoredPagarmeConfig["callback"];
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

/** Returns how callbacks are proven: by the published keys, the account's own key, or a user and a password. */
function readProof(given: GivenSettings): StoredPagarmeConfig["callback"] {
  const [key, user, password] = ["callback.key", "callback.user", "callback.password"].map((name) =>
    given.text(name),
  ) as [string, string, string];
  const ways = [given.text("callback.keys"), key, user + password].filter((text) => text !== "");
  if (ways.length !== 1) {
    const problem =
      "must be published, or callback.key, or callback.user and callback.password in its place.";
    throw given.wrong("callback.keys", problem);
  }
  if (user + password !== "") return readBasic(given, user, password);
  if (key !== "" && !readCallbackKey(key)) {
    const problem = "is no RSA public key of 2048 to 8192 bits, with an exponent of at most 32, in PEM.";
    throw given.wrong("callback.key", problem);
  }
  return { kind: "signature", key: key === "" ? null : key };
}

function readBasic(given: GivenSettings, user: string, password: string): StoredPagarmeConfig["callback"] {
  if (!USER.test(user)) {
    throw given.wrong("callback.user", "must have 1 to 255 visible ASCII characters, and no colon.");
  }
  if (!PASSWORD.test(password)) {
    throw given.wrong("callback.password", "must have 16 to 255 visible ASCII characters.");
  }
  return { kind: "basic", secret: `${user}:${password}` };
}

/** Returns the account as the adapter takes it. */
export function pagarmeAccount(id: string, config: StoredPagarmeConfig): PagarmeAccount {
  const { secretKey, publicKey, baseUrl, installmentsMax, leastInstallment, hasAntifraud, callback } = config;
  return {
    id,
    secretKey,
    publicKey,
    baseUrl: baseUrl ?? LIVE_BASE_URL,
    disputesUrl: baseUrl === null ? LIVE_DISPUTES_URL : new URL(DISPUTES_PATH, baseUrl).href,
    jwksUrl: baseUrl === null ? LIVE_JWKS_URL : new URL(JWKS_PATH, baseUrl).href,
    callbackKey: callback.kind === "signature" ? callback.key : null,
    installmentsMax: Math.min(installmentsMax, INSTALLMENTS_MAX),
    leastInstallmentMinor: BigInt(Math.max(1, leastInstallment)),
    // Its antifraud judges by the phone and the address, too.
    payerFields: ["name", "email", "document", ...(hasAntifraud ? (["phone", "address"] as const) : [])],
  };
}
