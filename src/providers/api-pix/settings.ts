import { wordsOf } from "../../../contract/enum-words.ts";
import { CallbackProofKind } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { GivenMessages } from "../registration.ts";
import type { Given, Setting } from "../settings.ts";
import type { CallField, Profile } from "./profile.ts";

const CLIENT_ID: Setting = {
  name: "client_id",
  kind: "text",
  isRequired: true,
  maxLength: 500,
  label: ["Client id", "Client id"],
};

const CLIENT_SECRET: Setting = {
  name: "client_secret",
  kind: "text",
  isSecret: true,
  label: ["Client secret", "Client secret"],
};

const APP_KEY: Setting = {
  name: "app_key",
  kind: "text",
  isSecret: true,
  label: ["Chave de aplicação", "Application key"],
};

const ACCOUNT_NUMBER: Setting = {
  name: "account_number",
  kind: "text",
  maxLength: 20,
  label: ["Conta corrente", "Bank account's number"],
  help: [
    "Só se a aplicação tiver várias contas no banco: o número com o dígito.",
    "Only if the application has several accounts at the bank: the number with its check digit.",
  ],
};

const KEY_AND_CERTIFICATE: readonly Setting[] = [
  {
    name: "pix_key",
    kind: "text",
    isRequired: true,
    maxLength: 77,
    label: ["Chave Pix da conta", "The account's Pix key"],
    help: [
      "CPF ou CNPJ, telefone com +55, e-mail ou chave aleatória.",
      "CPF or CNPJ, phone with +55, e-mail address or random key.",
    ],
  },
  {
    name: "certificate",
    kind: "file",
    isRequired: true,
    label: ["Certificado do cliente (PEM)", "Client certificate (PEM)"],
    help: [
      "O texto do arquivo, com a cadeia se houver. Um arquivo .p12 vai pela linha de comando: paylink providers put.",
      "The text of the file, with its chain if it has one. A .p12 file goes by the command line: paylink providers put.",
    ],
  },
  {
    name: "private_key",
    kind: "file",
    isSecret: true,
    label: ["Chave privada (PEM)", "Private key (PEM)"],
    help: ["Um arquivo .p12 já a tem.", "A .p12 file has it already."],
  },
  {
    name: "passphrase",
    kind: "text",
    isSecret: true,
    maxLength: 1024,
    label: ["Senha da chave privada", "Passphrase of the private key"],
    help: ["Só se ela tiver uma.", "Only if it has one."],
  },
  {
    name: "ca",
    kind: "file",
    label: ["Autoridades do banco (PEM)", "The bank's authorities (PEM)"],
    help: ["Só se não forem as de todos.", "Only if they are not everybody's."],
  },
];

const BASE_URL: Setting = {
  name: "base_url",
  kind: "address",
  isRequired: true,
  label: ["Endereço da API", "Address of the API"],
  help: [
    "Tudo antes de /cob. Começa com https:// e não termina com barra.",
    "All that precedes /cob. It begins with https:// and has no trailing slash.",
  ],
};

const TOKEN_URL: Setting = {
  name: "token_url",
  kind: "address",
  isRequired: true,
  label: ["Endereço do token", "Address of the token"],
};

const CLOCK_OFFSET: Setting = {
  name: "clock_offset",
  kind: "text",
  label: ["Fuso dos horários do banco", "Offset of the bank's times"],
  help: [
    "Só se o banco escreve a hora local como UTC (Z), por exemplo -03:00. O teste da conta mostra a diferença.",
    "Only if the bank writes local time as UTC (Z), such as -03:00. The account's verification shows the difference.",
  ],
};

const CALLBACK: readonly Setting[] = [
  {
    name: "callback.proof",
    kind: "choice",
    isRequired: true,
    label: ["Prova dos avisos", "Proof of callbacks"],
    options: [
      ["hmac", ["Um segredo no endereço (hmac)", "A secret in the address (hmac)"]],
      ["mtls", ["O certificado do banco (mtls)", "The bank's certificate (mtls)"]],
    ],
  },
  {
    name: "callback.ca",
    kind: "file",
    label: ["mtls: autoridades dos avisos (PEM)", "mtls: authorities of callbacks (PEM)"],
  },
  {
    name: "callback.issuer",
    kind: "text",
    maxLength: 500,
    label: ["mtls: nome comum do emissor", "mtls: common name of the issuer"],
  },
  {
    name: "callback.subject",
    kind: "text",
    maxLength: 500,
    label: ["mtls: nome comum do titular", "mtls: common name of the subject"],
  },
];

/** What an account at a bank is made of. */
export function pixSettings(profile: Profile): readonly Setting[] {
  return [
    CLIENT_ID,
    // A bank whose certificate is the secret gives one all the same.
    profile.tokenStyle === "id_form" ? CLIENT_SECRET : { ...CLIENT_SECRET, isRequired: true },
    ...(uses(profile, "app_key")
      ? [profile.isAppKeyOptional ? APP_KEY : { ...APP_KEY, isRequired: true as const }]
      : []),
    ...(uses(profile, "account_number") ? [ACCOUNT_NUMBER] : []),
    ...KEY_AND_CERTIFICATE,
    ...(profile.base === null ? [BASE_URL] : []),
    ...(profile.tokenUrl === null ? [TOKEN_URL] : []),
    ...CALLBACK,
    CLOCK_OFFSET,
  ];
}

const proofs = wordsOf(CallbackProofKind);

/** Returns the settings in a request's message, without an application key that the bank does not use. */
export function settingsOfMessage(profile: Profile, { config }: GivenMessages): Given | undefined {
  if (!config) return undefined;
  const { callback, pkcs12 } = config;
  return {
    values: {
      client_id: config.clientId,
      client_secret: config.clientSecret,
      app_key: uses(profile, "app_key") ? config.appKey : "",
      pix_key: config.pixKey,
      certificate:
        pkcs12.length > 0 ? `data:;base64,${Buffer.from(pkcs12).toString("base64")}` : config.certificate,
      private_key: config.privateKey,
      passphrase: config.passphrase,
      ca: config.ca,
      base_url: config.baseUrl,
      token_url: config.tokenUrl,
      "callback.proof": proofs.wordOf(callback?.kind ?? CallbackProofKind.UNSPECIFIED) ?? "",
      "callback.ca": callback?.ca ?? "",
      "callback.issuer": callback?.issuer ?? "",
      "callback.subject": callback?.subject ?? "",
    },
    paramOf: (name) => `config.${name === "callback.proof" ? "callback" : name}`,
  };
}

function uses({ headers, query }: Profile, field: CallField): boolean {
  return Object.values({ ...headers, ...query }).includes(field);
}
