import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  title: "Quanto custa em cada forma de pagamento",
  lead: "Digite o valor para ver o que o pagador paga e o que você recebe.",
  calculate: "Calcular preços",
  caption: "Preços de agora por forma de pagamento",
  way: "Forma",
  payer_pays: "Pagador paga",
  service_fee: "Tarifa",
  surcharge: "Parcelamento",
  iof: "IOF",
  total_fee: "Total de tarifas",
  you_receive: "Você recebe",
  offered: "Neste link",
  pick: "Cotar",
  quote: "Cotação",
  times: "{n}x",
  first_and_others: "1 × {first} + {n} × {other}",
  equal: "{n} × {other}",
  as_of: "Preços de {time}.",
  link_fixes: "Não ficam reservados: a sessão do pagador fixa os dele.",
  quote_fixes: "Não ficam reservados: a cotação fixa os dela.",
  rate: "Dólar: {rate} BRL por USD.",
  not_contracted: "Não contratado",
  no_rule: "Sem tarifa definida",
  net_not_positive: "Nada sobraria para você",
  total_too_large: "O total passa do que se pode cobrar",
  methods: "Formas de pagamento",
  max_installments: "Parcelas no cartão, no máximo",
  max_installments_help: "Só vale com cartão.",
  max_default: "O usual",
  fee_handling: "Quem paga as tarifas",
  rule_default: "O usual da sua tarifa",
} as const;

type Word = keyof typeof portuguese;

const english: Readonly<Record<Word, string>> = {
  title: "What each way to pay comes to",
  lead: "Type the amount to see what the payer pays and what you receive.",
  calculate: "Calculate prices",
  caption: "Prices of this moment by way to pay",
  way: "Way",
  payer_pays: "Payer pays",
  service_fee: "Service fee",
  surcharge: "Installment fee",
  iof: "IOF tax",
  total_fee: "All fees",
  you_receive: "You receive",
  offered: "On this link",
  pick: "Quote",
  quote: "Quote",
  times: "{n}x",
  first_and_others: "1 × {first} + {n} × {other}",
  equal: "{n} × {other}",
  as_of: "Prices as of {time}.",
  link_fixes: "Nothing is locked: the payer's session fixes theirs.",
  quote_fixes: "Nothing is locked: the quote fixes its own.",
  rate: "Dollar: {rate} BRL for one USD.",
  not_contracted: "Not contracted",
  no_rule: "No fee is set",
  net_not_positive: "Nothing would be left for you",
  total_too_large: "The total is more than can be charged",
  methods: "Ways to pay",
  max_installments: "Card installments, at most",
  max_installments_help: "With card only.",
  max_default: "The usual",
  fee_handling: "Who pays the fees",
  rule_default: "The usual of your fee rule",
};

export type Say = SayOf<Word>;

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
