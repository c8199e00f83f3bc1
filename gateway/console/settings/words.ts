import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  title: "Configurações",
  lead: "Valem nos dois ambientes, para o que for criado daqui em diante: links, cotações e pagamentos que já existem ficam como estão.",
  read_only: "Só um proprietário da empresa muda as configurações.",
  company: "Empresa",
  id: "Identificador",
  name: "Nome da empresa",
  payment_methods: "Formas de pagamento contratadas",
  payment_methods_none: "Escolha ao menos uma forma de pagamento.",
  max_installments: "Máximo de parcelas no cartão",
  max_installments_help: "De 1 a 21.",
  settlement_days: "Dias úteis até a liquidação",
  settlement_days_help: "O N de D+N, de 0 a 365.",
  settlement_value: "D+{days}",
  collect_fields: "O que o pagador informa quando o link não diz",
  collect_none: "Só o que o meio de pagamento pede",
  phone: "Telefone",
  address: "Endereço",
  whole_number: "Escreva um número inteiro.",
  saved: "Configurações salvas.",
  entities: "Pessoas jurídicas",
  entity: "Pessoa jurídica",
  entity_name: "Nome",
  currency: "Recebe em",
  state: "Situação",
  active: "Ativa",
  inactive: "Inativa",
  actions: "Ações",
  rename: "Renomear",
  rename_title: "Renomear pessoa jurídica",
  renamed: "Nome mudado.",
  no_entities: "Nenhuma pessoa jurídica.",
  replace: "Mudar moeda",
  replace_title: "Mudar a moeda em que a empresa recebe",
  replace_lead:
    "Uma nova pessoa jurídica toma o lugar de {name} no que for criado daqui em diante, nos dois ambientes. Links, cotações e pagamentos que já existem continuam na moeda de antes.",
  replaced: "Moeda mudada.",
  brl: "Real (BRL)",
  usd: "Dólar (USD)",
  changed_meanwhile:
    "Alguém mudou as configurações enquanto esta página estava aberta. Confira os valores e salve de novo.",
} as const;

export type Word = keyof typeof portuguese;
export type Say = SayOf<Word>;

const english: Readonly<Record<Word, string>> = {
  title: "Settings",
  lead: "They hold in both environments for what is made from now on: links, quotes and payments that exist stay as they are.",
  read_only: "Only an owner of the company changes settings.",
  company: "Company",
  id: "Identifier",
  name: "Company name",
  payment_methods: "Contracted payment methods",
  payment_methods_none: "Choose at least one payment method.",
  max_installments: "Card installments at most",
  max_installments_help: "From 1 to 21.",
  settlement_days: "Business days until settlement",
  settlement_days_help: "The N of D+N, from 0 to 365.",
  settlement_value: "D+{days}",
  collect_fields: "What payers tell when the link does not say",
  collect_none: "Only what the payment method asks for",
  phone: "Phone",
  address: "Address",
  whole_number: "Type a whole number.",
  saved: "Settings saved.",
  entities: "Legal entities",
  entity: "Legal entity",
  entity_name: "Name",
  currency: "Paid in",
  state: "State",
  active: "Active",
  inactive: "Inactive",
  actions: "Actions",
  rename: "Rename",
  rename_title: "Rename legal entity",
  renamed: "Name changed.",
  no_entities: "No legal entities.",
  replace: "Change currency",
  replace_title: "Change the currency that the company is paid in",
  replace_lead:
    "A new legal entity takes the place of {name} in what is made from now on, in both environments. Links, quotes and payments that exist stay in the former currency.",
  replaced: "Currency changed.",
  brl: "Real (BRL)",
  usd: "US dollar (USD)",
  changed_meanwhile:
    "Somebody changed the settings while this page was open. Look at the values and save again.",
};

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
