import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  morning: "Bom dia, {name}",
  afternoon: "Boa tarde, {name}",
  evening: "Boa noite, {name}",
  new_link: "Criar link",
  today: "Hoje, {day}",
  paid_count: "{count} pagos",
  paid_one: "1 pago",
  gross: "Recebido dos pagadores",
  fee: "Tarifas",
  net: "Líquido para você",
  open: "Em andamento",
  unpaid: "Recusados ou expirados",
  nothing_today: "Nenhum pagamento ainda hoje.",
  week: "Últimos 7 dias",
  day: "Dia",
  paid: "Pagos",
  state: "Fechamento",
  sealed: "Fechado",
  changed: "Mudou depois de fechado: {count}",
  to_seal: "A fechar",
  running: "Em andamento",
  attention: "Para olhar hoje",
  all_well: "Tudo em ordem: nada pede a sua atenção.",
  days_to_seal: "Dias a fechar: {count}",
  exceptions: "Valores recebidos que não puderam virar pagamento: {count}",
  failed_deliveries: "Entregas de webhook que falharam nas últimas 24 horas: {count}",
  disabled_endpoints: "Webhooks desativados porque o destino respondeu que não existe mais: {count}",
  latest: "Pagamentos mais recentes",
  payment: "Pagamento",
  when: "Iniciado",
  method: "Meio",
  status: "Situação",
  reference: "Referência",
  first_title: "Comece por um link",
  first_text: "Crie um link de pagamento, envie ao pagador e veja aqui o dinheiro chegar.",
  first_viewer: "Quando alguém pagar um link, os pagamentos aparecem aqui.",
} as const;

type Word = keyof typeof portuguese;

const english: Readonly<Record<Word, string>> = {
  morning: "Good morning, {name}",
  afternoon: "Good afternoon, {name}",
  evening: "Good evening, {name}",
  new_link: "Create a link",
  today: "Today, {day}",
  paid_count: "{count} paid",
  paid_one: "1 paid",
  gross: "Received from payers",
  fee: "Fees",
  net: "Net for you",
  open: "Under way",
  unpaid: "Declined or expired",
  nothing_today: "No payment yet today.",
  week: "Last 7 days",
  day: "Day",
  paid: "Paid",
  state: "Close",
  sealed: "Sealed",
  changed: "Changed after its seal: {count}",
  to_seal: "To seal",
  running: "Running",
  attention: "To look at today",
  all_well: "All is well: nothing asks for your attention.",
  days_to_seal: "Days to seal: {count}",
  exceptions: "Money received that could not become a payment: {count}",
  failed_deliveries: "Webhook deliveries that failed in the last 24 hours: {count}",
  disabled_endpoints: "Webhooks disabled because the receiver said that it is gone: {count}",
  latest: "Latest payments",
  payment: "Payment",
  when: "Started",
  method: "Method",
  status: "Status",
  reference: "Reference",
  first_title: "Begin with a link",
  first_text: "Create a payment link, send it to the payer, and see the money come in here.",
  first_viewer: "When somebody pays a link, the payments appear here.",
};

export type Say = SayOf<Word>;

/** Says a word of the first page. */
export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
