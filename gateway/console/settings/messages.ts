import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Configurações", "Settings"],
  lead: [
    "Valem nos dois ambientes, para o que for criado daqui em diante: links, cotações e pagamentos que já existem ficam como estão.",
    "They hold in both environments for what is made from now on: links, quotes and payments that exist stay as they are.",
  ],
  read_only: [
    "Só um proprietário da empresa muda as configurações.",
    "Only an owner of the company changes settings.",
  ],
  company: ["Empresa", "Company"],
  id: ["Identificador", "Identifier"],
  name: ["Nome da empresa", "Company name"],
  payment_methods: ["Formas de pagamento contratadas", "Contracted payment methods"],
  payment_methods_none: ["Escolha ao menos uma forma de pagamento.", "Choose at least one payment method."],
  max_installments: ["Máximo de parcelas no cartão", "Card installments at most"],
  max_installments_help: ["De {min} a {max}.", "From {min} to {max}."],
  settlement_days: ["Dias úteis até a liquidação", "Business days until settlement"],
  settlement_days_help: ["O N de D+N, de {min} a {max}.", "The N of D+N, from {min} to {max}."],
  payer_retention_days: ["Dias de guarda dos dados do pagador", "Days for which payers' details are kept"],
  payer_retention_days_help: [
    "Contados do início do pagamento, até {max}. Com 0 não são apagados.",
    "From the payment's start, {max} at most. With 0 they are not erased.",
  ],
  payer_retention_value: ["{days} dias", "{days} days"],
  payer_retention_none: ["Não são apagados", "They are not erased"],
  settlement_value: ["D+{days}", "D+{days}"],
  collect_fields: [
    "O que o pagador informa quando o link não diz",
    "What payers tell when the link does not say",
  ],
  collect_none: ["Só o que o meio de pagamento pede", "Only what the payment method asks for"],
  phone: ["Telefone", "Phone"],
  address: ["Endereço", "Address"],
  refund_fee: ["Tarifa do que é reembolsado", "Fee on what is refunded"],
  least_settlement_days: ["Prazo mínimo de liquidação", "Least settlement term"],
  operator_decides: ["Quem opera o serviço decide isto.", "The operator of the service decides this."],
  refund_fee_merchant: [
    "A empresa arca com ela: a tarifa não volta.",
    "The company bears it: the fee is not given back.",
  ],
  refund_fee_service: [
    "O serviço arca com ela: a tarifa volta para a empresa.",
    "The service bears it: the fee is given back to the company.",
  ],
  saved: ["Configurações salvas.", "Settings saved."],
  entities: ["Pessoas jurídicas", "Legal entities"],
  entity: ["Pessoa jurídica", "Legal entity"],
  entity_name: ["Nome", "Name"],
  currency: ["Recebe em", "Paid in"],
  state: ["Situação", "State"],
  active: ["Ativa", "Active"],
  inactive: ["Inativa", "Inactive"],
  actions: ["Ações", "Actions"],
  rename: ["Renomear", "Rename"],
  rename_title: ["Renomear pessoa jurídica", "Rename legal entity"],
  renamed: ["Nome mudado.", "Name changed."],
  no_entities: ["Nenhuma pessoa jurídica.", "No legal entities."],
  replace: ["Mudar moeda", "Change currency"],
  replace_title: ["Mudar a moeda em que a empresa recebe", "Change the currency that the company is paid in"],
  replace_lead: [
    "Uma nova pessoa jurídica toma o lugar de {name} no que for criado daqui em diante, nos dois ambientes. Links, cotações e pagamentos que já existem continuam na moeda de antes.",
    "A new legal entity takes the place of {name} in what is made from now on, in both environments. Links, quotes and payments that exist stay in the former currency.",
  ],
  replaced: ["Moeda mudada.", "Currency changed."],
  brl: ["Real (BRL)", "Real (BRL)"],
  usd: ["Dólar (USD)", "US dollar (USD)"],
  changed_meanwhile: [
    "Alguém mudou as configurações enquanto esta página estava aberta. Confira os valores e salve de novo.",
    "Somebody changed the settings while this page was open. Look at the values and save again.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
