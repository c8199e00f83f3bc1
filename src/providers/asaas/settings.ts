import { AsaasPage } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { GivenMessages } from "../registration.ts";
import type { Given, Setting } from "../settings.ts";
import { SIMULATOR_ADDRESS } from "../simulator-address.ts";

/** What an account at Asaas is made of. One file of them is for cards and for PIX. */
export const ASAAS_SETTINGS: readonly Setting[] = [
  {
    name: "api_key",
    kind: "text",
    isRequired: true,
    isSecret: true,
    maxLength: 500,
    label: ["Chave da API", "API key"],
    help: ["De produção: começa com $aact_prod_.", "Of production: it begins with $aact_prod_."],
  },
  {
    name: "callback_token",
    kind: "text",
    isRequired: true,
    isSecret: true,
    maxLength: 255,
    label: ["Token dos avisos", "Token of callbacks"],
    help: [
      "Um segredo seu, de 32 a 255 caracteres: “Verificar” o registra na Asaas.",
      "A secret of yours, of 32 to 255 characters: “Verify” registers it at Asaas.",
    ],
  },
  {
    name: "page",
    kind: "choice",
    label: ["Página do cartão", "Page of the card"],
    help: [
      "Onde o pagador digita o cartão. Sem escolha, na fatura.",
      "Where the payer types the card. Without a choice, on the invoice.",
    ],
    options: [
      ["invoice", ["A fatura", "The invoice"]],
      ["checkout", ["O checkout", "The checkout"]],
    ],
  },
  SIMULATOR_ADDRESS,
];

/** Returns the settings in a request's message. */
export function settingsOfMessage({ asaas }: GivenMessages): Given | undefined {
  if (!asaas) return undefined;
  return {
    values: {
      api_key: asaas.apiKey,
      callback_token: asaas.callbackToken,
      page: asaas.page === AsaasPage.CHECKOUT ? "checkout" : "invoice",
      base_url: asaas.baseUrl,
    },
    paramOf: (name) => `asaas.${name}`,
  };
}
