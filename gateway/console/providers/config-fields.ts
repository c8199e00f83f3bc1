import type { MessageInitShape } from "@bufbuild/protobuf";
import { CallbackProofKind, type PixConfigSchema } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { Field } from "../form/field.ts";
import type { Problems } from "../problems.ts";
import type { MessageKey, Translate } from "./messages.ts";

/** The fields of the form that make an account's config, by the names that the core's refusals have. */
export type ConfigName =
  | "client_id"
  | "client_secret"
  | "app_key"
  | "pix_key"
  | "certificate"
  | "private_key"
  | "passphrase"
  | "ca"
  | "base_url"
  | "token_url"
  | "callback"
  | "callback.ca"
  | "callback.issuer"
  | "callback.subject";

/** All fields are for secrets or lead to them: none is filled in again, except what a user has to compare. */
export const CONFIG_FIELDS: Readonly<Record<ConfigName, Field<MessageKey>>> = {
  client_id: { kind: "text", label: "client_id" },
  client_secret: { kind: "secret", label: "client_secret" },
  app_key: { kind: "secret", label: "app_key", help: "app_key_help" },
  pix_key: { kind: "text", label: "pix_key" },
  certificate: { kind: "lines", label: "client_certificate", help: "certificate_help" },
  private_key: { kind: "secret", label: "private_key", hasLines: true },
  passphrase: { kind: "secret", label: "passphrase", help: "passphrase_help" },
  ca: { kind: "lines", label: "ca", help: "ca_help" },
  base_url: { kind: "url", label: "base_url", help: "bacen_help" },
  token_url: { kind: "url", label: "token_url", help: "bacen_help" },
  callback: {
    kind: "select",
    label: "proof",
    options: (t) => [
      ["hmac", t("proof_hmac")],
      ["mtls", t("proof_mtls")],
    ],
  },
  "callback.ca": { kind: "lines", label: "proof_ca", fills: null },
  "callback.issuer": { kind: "text", label: "proof_issuer", fills: null },
  "callback.subject": { kind: "text", label: "proof_subject", fills: null },
};

const TEXTS: Readonly<Record<string, MessageKey>> = {
  certificate: "bad_certificate",
  ca: "bad_certificate",
  "callback.ca": "bad_certificate",
  private_key: "bad_private_key",
  base_url: "bad_address",
  token_url: "bad_address",
};

/** Returns the config as it was sent. */
export function configIn(sent: { text(name: ConfigName): string }): MessageInitShape<typeof PixConfigSchema> {
  const isMtls = sent.text("callback") === "mtls";
  return {
    clientId: sent.text("client_id"),
    clientSecret: sent.text("client_secret"),
    appKey: sent.text("app_key"),
    pixKey: sent.text("pix_key"),
    certificate: sent.text("certificate"),
    privateKey: sent.text("private_key"),
    passphrase: sent.text("passphrase"),
    ca: sent.text("ca"),
    baseUrl: sent.text("base_url"),
    tokenUrl: sent.text("token_url"),
    callback: isMtls
      ? {
          kind: CallbackProofKind.MTLS,
          ca: sent.text("callback.ca"),
          issuer: sent.text("callback.issuer"),
          subject: sent.text("callback.subject"),
        }
      : { kind: CallbackProofKind.HMAC },
  };
}

/** Returns the problems by the form's fields: the core names those of its request. */
export function configProblems(t: Translate, problems: Problems): Problems {
  return new Map(
    [...problems].map(([param, text]) => {
      if (!param.startsWith("config.")) return [param, text];
      const name = param.slice("config.".length);
      return [name, t(TEXTS[name] ?? "bad_field")];
    }),
  );
}
