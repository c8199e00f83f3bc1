import type { GivenMessages } from "../registration.ts";
import type { Given, Setting } from "../settings.ts";
import { SIMULATOR_ADDRESS } from "../simulator-address.ts";

/** What an account at Pagar.me is made of. */
export const PAGARME_SETTINGS: readonly Setting[] = [
  {
    name: "secret_key",
    kind: "text",
    isRequired: true,
    isSecret: true,
    maxLength: 500,
    label: ["Chave secreta", "Secret key"],
    help: ["De produção: sk_…, e não sk_test_….", "Of production: sk_…, and not sk_test_…."],
  },
  {
    name: "public_key",
    kind: "text",
    isRequired: true,
    maxLength: 500,
    label: ["Chave pública", "Public key"],
    help: ["De produção: pk_…, e não pk_test_….", "Of production: pk_…, and not pk_test_…."],
  },
  {
    name: "callback.keys",
    kind: "choice",
    label: ["Assinatura dos avisos", "Signature of callbacks"],
    help: ["Estas, ou uma chave no campo abaixo.", "These, or a key in the field below."],
    options: [["published", ["Pelas chaves que a Pagar.me publica", "By the keys that Pagar.me publishes"]]],
  },
  {
    name: "callback.key",
    kind: "file",
    maxLength: 16_384,
    label: ["Chave da assinatura (PEM)", "Key of the signature (PEM)"],
    help: ["Em vez das publicadas.", "In place of those that are published."],
  },
  {
    name: "callback.user",
    kind: "text",
    maxLength: 255,
    label: ["Usuário dos avisos", "User of callbacks"],
    help: [
      "Em vez da assinatura: o do webhook que você criou no painel da Pagar.me.",
      "In place of a signature: that of the webhook that you made in Pagar.me's dashboard.",
    ],
  },
  {
    name: "callback.password",
    kind: "text",
    isSecret: true,
    maxLength: 255,
    label: ["Senha dos avisos", "Password of callbacks"],
    help: ["Sua, de 16 a 255 caracteres.", "Yours, of 16 to 255 characters."],
  },
  {
    name: "max_installments",
    kind: "text",
    label: ["Máximo de parcelas", "Most installments"],
    help: ["As do contrato, de 1 a 24. Vazio: 18.", "Those of the contract, 1 to 24. Empty: 18."],
  },
  {
    name: "least_installment",
    kind: "text",
    label: ["Parcela mínima, em centavos", "Least installment, in centavos"],
    help: ["Vazio: a do serviço.", "Empty: the service's own."],
  },
  {
    name: "antifraud",
    kind: "choice",
    label: ["Antifraude", "Antifraud"],
    help: [
      "Com ele o pagador informa telefone e endereço. Sem escolha, a conta o tem.",
      "With it the payer gives phone and address. Without a choice, the account has it.",
    ],
    options: [
      ["true", ["Com antifraude", "With antifraud"]],
      ["false", ["Sem antifraude", "Without antifraud"]],
    ],
  },
  SIMULATOR_ADDRESS,
];

const wholeOf = (value: number | bigint): string => (Number(value) === 0 ? "" : String(value));

/** Returns the settings in a request's message. */
export function settingsOfMessage({ pagarme }: GivenMessages): Given | undefined {
  if (!pagarme) return undefined;
  return {
    values: {
      secret_key: pagarme.secretKey,
      public_key: pagarme.publicKey,
      "callback.keys": pagarme.callbackKey === "" ? "published" : "",
      "callback.key": pagarme.callbackKey,
      max_installments: wholeOf(pagarme.maxInstallments),
      least_installment: wholeOf(pagarme.leastInstallment),
      antifraud: String(!pagarme.isWithoutAntifraud),
      base_url: pagarme.baseUrl,
    },
    paramOf: (name) => `pagarme.${name === "callback.key" ? "callback_key" : name}`,
  };
}
