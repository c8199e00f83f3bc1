import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  morning: ["Bom dia, {name}", "Good morning, {name}"],
  afternoon: ["Boa tarde, {name}", "Good afternoon, {name}"],
  evening: ["Boa noite, {name}", "Good evening, {name}"],
  new_link: ["Criar link", "Create a link"],
  today: ["Hoje, {day}", "Today, {day}"],
  paid_count: ["{count} pagos", "{count} paid"],
  paid_one: ["1 pago", "1 paid"],
  gross: ["Recebido dos pagadores", "Received from payers"],
  fee: ["Tarifas", "Fees"],
  net: ["Líquido para você", "Net for you"],
  went_back: ["Devolvido no dia", "Given back on the day"],
  open: ["Em andamento", "Under way"],
  unpaid: ["Recusados ou expirados", "Declined or expired"],
  nothing_today: ["Nenhum pagamento ainda hoje.", "No payment yet today."],
  week: ["Últimos 7 dias", "Last 7 days"],
  day: ["Dia", "Day"],
  paid: ["Pagos", "Paid"],
  state: ["Fechamento", "Close"],
  sealed: ["Fechado", "Sealed"],
  changed: ["Mudou depois de fechado: {count}", "Changed after its seal: {count}"],
  to_seal: ["A fechar", "To seal"],
  running: ["Em andamento", "Running"],
  attention: ["Para olhar hoje", "To look at today"],
  urgent: ["Urgente", "Urgent"],
  all_well: ["Tudo em ordem: nada pede a sua atenção.", "All is well: nothing asks for your attention."],
  days_to_seal: ["Dias a fechar: {count}", "Days to seal: {count}"],
  disputes: [
    "Contestações de cartão que esperam os seus documentos: {count}",
    "Card disputes that wait for your documents: {count}",
  ],
  dispute_deadlines: [
    "Contestações de cartão cujo prazo termina em até três dias: {count}",
    "Card disputes whose deadline is within three days: {count}",
  ],
  overdue: [
    "Pagamentos com cartão que o provedor não repassou no dia previsto: {count}",
    "Card payments that the provider did not pay out on their day: {count}",
  ],
  exceptions: [
    "Valores a devolver, que não puderam virar pagamento: {count}",
    "Money to give back, which could not become a payment: {count}",
  ],
  disabled_endpoints: [
    "Webhooks desativados porque o destino respondeu que não existe mais: {count}",
    "Webhooks disabled because the receiver said that it is gone: {count}",
  ],
  unknown_money: [
    "Valores que entraram nas contas e não são de nenhuma cobrança: {count}",
    "Amounts on the accounts that are of no charge: {count}",
  ],
  stale_rate: [
    "A última cotação do dólar é velha demais: nada é convertido até que venha outra",
    "The newest dollar rate is too old: nothing is converted until there is another",
  ],
  held_rate: [
    "Uma cotação do dólar está retida e espera quem opera o serviço",
    "A dollar rate is held and waits for the operator of the service",
  ],
  steps: ["Primeiros passos", "First steps"],
  step_done: ["Feito", "Done"],
  step_link: ["Crie um link no ambiente de teste", "Create a link in the test environment"],
  step_payment: [
    "Abra a página do link e pague como o seu cliente pagaria",
    "Open the link's page and pay as your customer would",
  ],
  step_webhook: [
    "Diga onde o seu sistema recebe avisos, se ele tem de saber",
    "Say where your system hears of payments, if it has to",
  ],
  step_account: [
    "Conecte a conta do banco que recebe o dinheiro",
    "Connect the account that takes the money",
  ],
  step_live: ["Receba o primeiro pagamento de verdade", "Receive the first live payment"],
  latest: ["Pagamentos mais recentes", "Latest payments"],
  payment: ["Pagamento", "Payment"],
  when: ["Iniciado", "Started"],
  method: ["Meio", "Method"],
  status: ["Situação", "Status"],
  reference: ["Referência", "Reference"],
  first_title: ["Comece por um link", "Begin with a link"],
  first_text: [
    "Crie um link de pagamento, envie ao pagador e veja aqui o dinheiro chegar.",
    "Create a payment link, send it to the payer, and see the money come in here.",
  ],
  first_viewer: [
    "Quando alguém pagar um link, os pagamentos aparecem aqui.",
    "When somebody pays a link, the payments appear here.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
