import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Quanto custa em cada forma de pagamento", "What each payment method comes to"],
  lead: [
    "Digite o valor para ver o que o pagador paga e o que você recebe.",
    "Type the amount to see what the payer pays and what you receive.",
  ],
  calculate: ["Calcular preços", "Calculate prices"],
  caption: ["Preços atuais por forma de pagamento", "Current prices by payment method"],
  option: ["Forma", "Method"],
  payer_pays: ["Pagador paga", "Payer pays"],
  service_fee: ["Tarifa de serviço", "Service fee"],
  surcharge: ["Juros do parcelamento", "Interest on installments"],
  iof: ["IOF", "IOF tax"],
  total_fee: ["Total de tarifas", "All fees"],
  you_receive: ["Você recebe", "You receive"],
  offered: ["Neste link", "On this link"],
  pick: ["Cotar", "Quote"],
  quote: ["Cotação", "Quote"],
  times: ["{n}x", "{n}x"],
  first_and_others: ["1 × {first} + {n} × {other}", "1 × {first} + {n} × {other}"],
  equal: ["{n} × {other}", "{n} × {other}"],
  as_of: ["Preços de {time}.", "Prices as of {time}."],
  link_fixes: [
    "O preço fica garantido por até 15 minutos para quem abre o link e continua.",
    "The price is held for up to 15 minutes for a payer who opens the link and continues.",
  ],
  quote_fixes: [
    "Cada cotação garante o seu preço por 30 minutos.",
    "Each quote holds its price for 30 minutes.",
  ],
  rate: ["Câmbio: US$ 1 = {rate}.", "Exchange rate: US$1 = {rate}."],
  rate_ptax: ["A partir da PTAX do Banco Central de {time}.", "From the central bank's PTAX rate of {time}."],
  rate_manual: ["A partir do câmbio publicado em {time}.", "From the rate published on {time}."],
  rate_age: [
    "Publicado há {hours} h, e vale por {max} h.",
    "Published {hours} h ago, and holds for {max} h.",
  ],
  rate_bank_age: [
    "Publicado há {hours} h de banco aberto, e vale por {max} h de banco aberto.",
    "Published {hours} bank-open hours ago, and holds for {max} of them.",
  ],
  rate_too_old: ["O último câmbio, de {time}, é velho demais.", "The newest rate, of {time}, is too old."],
  rate_held: [
    "Câmbio retido: US$ 1 = {rate}, da {source} de {time}, {change} em relação ao anterior, de {last}. Ele só vale depois que alguém o confere e libera.",
    "A rate is held back: US$1 = {rate}, of {source} of {time}, {change} from the one before it, {last}. It is in force only once a person has looked at it and released it.",
  ],
  rate_release: [
    "O câmbio é de todas as empresas: quem opera o serviço o libera, com",
    "The rate is that of all companies: the service's operator releases it, by",
  ],
  not_contracted: ["Não contratado", "Not contracted"],
  no_rule: ["Sem tarifa definida", "No fee is set"],
  net_not_positive: ["Nada sobraria para você", "Nothing would be left for you"],
  amount_too_small: [
    "A conta no provedor não cobra um valor tão baixo",
    "The provider's account charges no amount so small",
  ],
  total_too_large: ["O total passa do que se pode cobrar", "The total is more than can be charged"],
  methods: ["Formas de pagamento", "Payment methods"],
  max_installments: ["Parcelas no cartão, no máximo", "Card installments, at most"],
  max_installments_help: ["Só vale com cartão.", "With card only."],
  max_default: ["O usual", "The usual"],
  fee_handling: ["Quem paga as tarifas", "Who pays the fees"],
  rule_default: ["O usual da sua tarifa", "The usual of your fee rule"],
});

export type Translate = ReturnType<typeof messagesIn>;
