import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  amount: ["Valor", "Amount"],
  amount_help: ["Como você escreve: 159,90 ou 1.234,56.", "As you write it: 159.90 or 1,234.56."],
  amount_missing: ["Digite o valor.", "Type the amount."],
  amount_malformed: [
    "Escreva o valor só com números, como 159,90.",
    "Write the amount in digits only, such as 159.90.",
  ],
  amount_ambiguous: [
    "Este valor pode ser lido de duas formas. Escreva os centavos, como 1234,00.",
    "This amount can be read in two ways. Write the cents, such as 1234.00.",
  ],
  amount_too_large: ["O valor está acima do limite.", "The amount is above the limit."],
  currency: ["Moeda", "Currency"],
  brl: ["Real (BRL)", "Real (BRL)"],
  usd: ["Dólar (USD)", "Dollar (USD)"],
  expiry: ["Validade", "Validity"],
  expiry_help: ["Depois disso o link não recebe pagamentos.", "After that the link takes no payments."],
  expiry_default: ["Padrão: 1 dia; campanha, nunca", "Usual: 1 day; a campaign, never"],
  expiry_never: ["Nunca vence", "Never expires"],
  expiry_minutes: ["Minutos", "Minutes"],
  expiry_hours: ["Horas", "Hours"],
  expiry_days: ["Dias", "Days"],
  expiry_count: ["Quantos", "How many"],
  expiry_missing: ["Digite um número inteiro a partir de 1.", "Type a whole number from 1 up."],
  campaign: ["Tipo", "Kind"],
  single: ["Único: fecha com o primeiro pagamento", "Single: closed by its first payment"],
  many: ["Campanha: continua aberto depois de cada pagamento", "Campaign: stays open after each payment"],
  reference: ["Sua referência", "Your reference"],
  reference_help: [
    "Para conciliar com o seu sistema, como o número do pedido.",
    "To reconcile with your own system, such as an order's number.",
  ],
  metadata: ["Dados seus", "Your data"],
  metadata_help: [
    "Pares de chave e valor que voltam em cada pagamento e webhook. Até 20.",
    "Pairs of key and value that come back with each payment and webhook. At most 20.",
  ],
  metadata_key: ["Chave {n}", "Key {n}"],
  metadata_value: ["Valor {n}", "Value {n}"],
  metadata_more: ["Mais linhas", "More rows"],
  metadata_keyless: ["Há um valor sem chave: “{value}”.", "There is a value without a key: “{value}”."],
  metadata_twice: ["A chave “{key}” aparece duas vezes.", "The key “{key}” is there twice."],
  metadata_many: ["Use no máximo 20 chaves.", "Use at most 20 keys."],
  pictures_more: ["Outras imagens, pelo endereço", "Other pictures, by address"],
  pictures_help: ["Um endereço https por linha, até 5.", "One https address a line, at most 5."],
  pictures_own_help: [
    "Um endereço por linha, até 5, de imagens enviadas na seção Imagens.",
    "One address a line, at most 5, of pictures uploaded in the section Pictures.",
  ],
  pictures_refused: [
    "Use endereços de imagens da seção Imagens, um por linha.",
    "Use addresses of pictures of the section Pictures, one a line.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
