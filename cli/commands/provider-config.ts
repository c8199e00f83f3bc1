import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  AsaasPage,
  CallbackProofKind,
  type AsaasConfigSchema,
  type PagarmeConfigSchema,
  type PixConfigSchema,
} from "../../gen/paylink/providers/v1/providers_pb.ts";

const proofs = wordsOf(CallbackProofKind);
const pages = wordsOf(AsaasPage);

const FIELDS = [
  "client_id",
  "client_secret",
  "app_key",
  "pix_key",
  "certificate",
  "private_key",
  "passphrase",
  "ca",
  "base_url",
  "token_url",
] as const;
const PROOF_FIELDS = ["proof", "ca", "issuer", "subject"] as const;
const PEM = "-----BEGIN ";

const ASAAS_FIELDS = ["api_key", "callback_token", "page", "base_url"] as const;
const PAGARME_FIELDS = ["secret_key", "public_key", "base_url"] as const;
const PAGARME_CALLBACK_FIELDS = ["keys", "key"] as const;

type Init<Schema extends DescMessage> = MessageInitShape<Schema>;

/** The credentials and settings of a request, in the field of their kind. */
export type GivenConfig =
  | { readonly config: Init<typeof PixConfigSchema> }
  | { readonly asaas: Init<typeof AsaasConfigSchema> }
  | { readonly pagarme: Init<typeof PagarmeConfigSchema> };

/**
 * Reads an account's config from the JSON of its file: one with an `api_key` is of Asaas, one with a `secret_key` of
 * Pagar.me. Throws Error as the others.
 */
export async function readGivenConfig(
  text: string,
  read: (path: string) => Promise<Buffer>,
): Promise<GivenConfig> {
  if ("secret_key" in objectIn(text)) return { pagarme: await readPagarmeConfig(text, read) };
  return "api_key" in objectIn(text)
    ? { asaas: readAsaasConfig(text) }
    : { config: await readProviderConfig(text, read) };
}

function readAsaasConfig(text: string): Init<typeof AsaasConfigSchema> {
  const given = textsOf(objectIn(text), ASAAS_FIELDS, "");
  const page = given.page === "" ? AsaasPage.UNSPECIFIED : pages.numberOf(given.page);
  if (page === undefined) throw new Error("page must be invoice or checkout.");
  return { apiKey: given.api_key, callbackToken: given.callback_token, page, baseUrl: given.base_url };
}

async function readPagarmeConfig(
  text: string,
  read: (path: string) => Promise<Buffer>,
): Promise<Init<typeof PagarmeConfigSchema>> {
  const { callback = {}, max_installments, least_installment, antifraud = true, ...rest } = objectIn(text);
  const given = textsOf(rest, PAGARME_FIELDS, "");
  if (!isObject(callback)) throw new Error("callback must be an object.");
  const { keys, key } = textsOf(callback, PAGARME_CALLBACK_FIELDS, "callback.");
  const isRight = key === "" ? keys === "published" : keys === "";
  if (!isRight) {
    throw new Error('callback must have keys, which is "published", or key, which is PEM or a file.');
  }
  if (typeof antifraud !== "boolean") throw new Error("antifraud must be true or false.");
  return {
    secretKey: given.secret_key,
    publicKey: given.public_key,
    callbackKey: (await pemOf("callback.key", key, read)).toString("utf8"),
    maxInstallments: wholeIn("max_installments", max_installments),
    leastInstallment: BigInt(wholeIn("least_installment", least_installment)),
    isWithoutAntifraud: !antifraud,
    baseUrl: given.base_url,
  };
}

function wholeIn(name: string, value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new Error(`${name} must be a whole number.`);
  }
  return value;
}

/** Returns a PEM text, or that of the file that `read` reads. Throws Error that names the field. */
async function pemOf(name: string, value: string, read: (path: string) => Promise<Buffer>): Promise<Buffer> {
  if (value === "" || value.startsWith(PEM)) return Buffer.from(value);
  return await read(value).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "error";
    throw new Error(`${name} is neither PEM nor a readable file (${code}).`);
  });
}

/**
 * Reads an account's config from the JSON of its file. Certificates and keys are PEM texts, or paths that `read` reads.
 * Throws Error that names the field, and no value.
 */
export async function readProviderConfig(
  text: string,
  read: (path: string) => Promise<Buffer>,
): Promise<MessageInitShape<typeof PixConfigSchema>> {
  const { callback, ...rest } = objectIn(text);
  const given = textsOf(rest, FIELDS, "");
  const file = async (name: string, value: string): Promise<Buffer> => await pemOf(name, value, read);
  const certificate = await file("certificate", given.certificate.trim());
  const isPem = certificate.length === 0 || certificate.includes(PEM);
  const privateKey = isPem ? await file("private_key", given.private_key.trim()) : Buffer.alloc(0);
  return {
    clientId: given.client_id,
    clientSecret: given.client_secret,
    appKey: given.app_key,
    pixKey: given.pix_key,
    ...(isPem
      ? { certificate: certificate.toString("utf8"), privateKey: privateKey.toString("utf8") }
      : { pkcs12: new Uint8Array(certificate) }),
    passphrase: given.passphrase,
    ca: (await file("ca", given.ca.trim())).toString("utf8"),
    baseUrl: given.base_url,
    tokenUrl: given.token_url,
    ...(callback === undefined ? {} : { callback: await proofOf(callback, file) }),
  };
}

async function proofOf(
  callback: unknown,
  file: (name: string, value: string) => Promise<Buffer>,
): Promise<{ kind: CallbackProofKind; ca: string; issuer: string; subject: string }> {
  if (!isObject(callback)) throw new Error("callback must be an object with proof.");
  const { proof, ca, issuer, subject } = textsOf(callback, PROOF_FIELDS, "callback.");
  const kind = proofs.numberOf(proof);
  if (kind === undefined) throw new Error("callback.proof must be hmac or mtls.");
  return { kind, ca: (await file("callback.ca", ca.trim())).toString("utf8"), issuer, subject };
}

function objectIn(text: string): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = undefined;
  }
  if (!isObject(read)) throw new Error("The config file must be a JSON object.");
  return read;
}

function textsOf<Name extends string>(
  given: Record<string, unknown>,
  names: readonly Name[],
  prefix: string,
): Record<Name, string> {
  const unknown = Object.keys(given).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`${prefix}${unknown} is not a field of the config.`);
  const texts = names.map((name) => {
    const value = given[name] ?? "";
    if (typeof value !== "string") throw new Error(`${prefix}${name} must be a text.`);
    return [name, value] as const;
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
