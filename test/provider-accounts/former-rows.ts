import { createPrivateKey, X509Certificate } from "node:crypto";
import { CLIENT, type TestBank } from "../api-pix/connected.ts";
import { API_KEY, CALLBACK_TOKEN } from "../live-cards/card-merchant.ts";
import { KEYS } from "../live-cards/pagarme-merchant.ts";
import { certificateBag, keyBag, openPart, PASSPHRASE, pkcs12 } from "./key-files.ts";
import { configAt } from "./live-merchant.ts";

// What was stored of an account before each provider had a folder of its own in src/providers/. The shapes are
// written out: none is made by the code under test.

/** A company that wrote its CNPJ with marks, at a bank that takes it so. */
export const MARKED_CLIENT = {
  id: "Client_Id_3",
  secret: "Client_Secret:1",
  keys: ["11.222.333/0001-81", "11222333000181"],
};
export const OTHER_CLIENT = { id: "Client_Id_2", secret: CLIENT.secret, keys: ["loja2@example.com"] };

/** An account as it was stored. */
export interface FormerRow {
  readonly kind: "pix" | "card";
  readonly profile: string;
  /** What was encrypted. */
  readonly config: {
    readonly callback: object;
    readonly callbackSecret: string;
    readonly [name: string]: unknown;
  };
  /** What a put or a rotation stores as well, and the oldest rows do not have. */
  readonly later?: object;
  /** What is shown of the config. */
  readonly columns: { readonly last_four: string; readonly [name: string]: unknown };
  readonly sweeps: readonly string[];
  /** The same credentials in a request: in the provider's own message, and as settings. */
  readonly message: { readonly config?: object; readonly asaas?: object; readonly pagarme?: object };
  readonly settings: Record<string, string>;
}

const ALL_SWEEPS = ["received", "day", "returns"];
const NO_CERTIFICATE = { certificate_subject: null, certificate_not_after: null };

function pixRow(
  { bank, authority, identity }: TestBank,
  { id, keys: [pixKey = ""] }: typeof CLIENT,
  own: Record<"callbackSecret" | "hmacSecret" | "fingerprint", string>,
  certified: { readonly stored: object; readonly message: object; readonly settings: Record<string, string> },
): FormerRow {
  return {
    kind: "pix",
    profile: "bacen",
    config: {
      clientId: id,
      clientSecret: "Client_Secret:1",
      appKey: null,
      pixKey,
      identity: certified.stored,
      ca: authority.cert,
      baseUrl: bank.baseUrl,
      tokenUrl: bank.tokenUrl,
      callback: { kind: "hmac", secret: own.hmacSecret },
      callbackSecret: own.callbackSecret,
    },
    columns: {
      fingerprint: own.fingerprint,
      last_four: id.slice(-4),
      certificate_subject: "CN=localhost",
      certificate_not_after: new X509Certificate(identity.cert).validToDate,
      callback_proof: "hmac",
      is_demo: true,
    },
    sweeps: ALL_SWEEPS,
    message: {
      config: configAt({ bank, authority, identity }, { clientId: id, pixKey, ...certified.message }),
    },
    settings: {
      client_id: id,
      client_secret: "Client_Secret:1",
      pix_key: pixKey,
      ca: authority.cert,
      base_url: bank.baseUrl,
      token_url: bank.tokenUrl,
      "callback.proof": "hmac",
      ...certified.settings,
    },
  };
}

export function pemRow(at: TestBank): FormerRow {
  const { cert: certificate, key } = at.identity;
  const own = {
    callbackSecret: "8K6s6RLPGdwcb__UHebjldrrVGLxIhlFcGvQZ0wwBes",
    hmacSecret: "PeEe1R052HhruCe1te1gUiNqAhsPLRjebpPpOU92zmo",
    fingerprint: "5ddca848b8757894",
  };
  return pixRow(at, CLIENT, own, {
    stored: { certificate, privateKey: createPrivateKey(key).export({ type: "pkcs8", format: "pem" }) },
    message: {},
    settings: { certificate, private_key: key },
  });
}

/** One whose key was stored as it was typed. */
export function markedRow(at: TestBank): FormerRow {
  const { cert: certificate, key } = at.identity;
  const own = {
    callbackSecret: "q0Vb4y8m1mHqgqg0bJ8k9Yk2o9v5D6xqv7s1m2n3p4Q",
    hmacSecret: "r1Wc5z9n2nIrhrh1cK9l0Zl3p0w6E7yrw8t2n3o4q5R",
    fingerprint: "0123456789abcdef",
  };
  return pixRow(at, MARKED_CLIENT, own, {
    stored: { certificate, privateKey: createPrivateKey(key).export({ type: "pkcs8", format: "pem" }) },
    message: {},
    settings: { certificate, private_key: key },
  });
}

export function pkcs12Row(at: TestBank): FormerRow {
  const { cert, key } = at.identity;
  const file = pkcs12(openPart(certificateBag(cert)), openPart(keyBag(createPrivateKey(key), 2048)));
  const pfx = file.toString("base64");
  const own = {
    callbackSecret: "vc_GrHB7gugINaCdQlteS8bPyW2X4S49cChgZqCv5JE",
    hmacSecret: "AH5IlakZDYFAIfzp53sKfv7lNIsLqb7LjHMXfhIbxwM",
    fingerprint: "cdd24adce5c56aa7",
  };
  return pixRow(at, OTHER_CLIENT, own, {
    stored: { pfx, passphrase: PASSPHRASE },
    message: { certificate: "", privateKey: "", pkcs12: file, passphrase: PASSPHRASE },
    settings: { certificate: `data:;base64,${pfx}`, passphrase: PASSPHRASE },
  });
}

/** One of the oldest, which has no page. */
export function asaasRow(baseUrl: string): FormerRow {
  return {
    kind: "card",
    profile: "asaas",
    config: {
      apiKey: API_KEY,
      baseUrl,
      callback: { kind: "token", secret: CALLBACK_TOKEN },
      callbackSecret: "YyqXv-yZZHeN9vELU1f7xqbQCLb6YWdb8T4IrLvvoJs",
    },
    later: { page: "invoice" },
    columns: {
      ...NO_CERTIFICATE,
      fingerprint: "6dfd38ef45a0ab3c",
      last_four: "RgL6",
      callback_proof: "token",
      is_demo: true,
    },
    sweeps: ALL_SWEEPS,
    message: { asaas: { apiKey: API_KEY, callbackToken: CALLBACK_TOKEN, baseUrl } },
    settings: { api_key: API_KEY, callback_token: CALLBACK_TOKEN, base_url: baseUrl },
  };
}

export function pagarmeRow(baseUrl: string): FormerRow {
  return {
    kind: "card",
    profile: "pagarme",
    config: {
      secretKey: KEYS.secretKey,
      publicKey: KEYS.publicKey,
      baseUrl,
      installmentsMax: 12,
      leastInstallment: 500,
      hasAntifraud: true,
      callback: { kind: "signature", key: null },
      callbackSecret: "h6V0J0H0TKy84U6-c9pTWNP-904UErPg3cEIGI1_tuI",
    },
    columns: {
      ...NO_CERTIFICATE,
      fingerprint: "fafbe01b6a708c24",
      last_four: "cdef",
      callback_proof: "signature",
      is_demo: true,
    },
    sweeps: ["returns"],
    message: { pagarme: { ...KEYS, baseUrl, maxInstallments: 12, leastInstallment: 500n } },
    settings: {
      secret_key: KEYS.secretKey,
      public_key: KEYS.publicKey,
      base_url: baseUrl,
      max_installments: "12",
      least_installment: "500",
      "callback.keys": "published",
    },
  };
}
