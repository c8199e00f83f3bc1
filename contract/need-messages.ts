import { messages, type Message } from "./messages.ts";

/** What needs a person, in words: on the console's first page and in e-mails. */
export const NEED_MESSAGES = {
  failing_endpoint: [
    "{url} não está recebendo. Tentativas sem sucesso nas últimas 24 horas: {failed} de {count}",
    "{url} is not receiving. Attempts that failed in the last 24 hours: {failed} of {count}",
  ],
  disabled_endpoints: [
    "Webhooks desativados porque o destino respondeu que não existe mais: {count}",
    "Webhooks disabled because the receiver said that it is gone: {count}",
  ],
  unconnected: [
    "Os links de produção ainda não podem ser pagos: nenhuma conta de banco está conectada.",
    "Live links cannot be paid yet: no account at a bank is connected.",
  ],
  renew: [
    "O certificado de {name} vale até {time}: depois disso o banco recusa tudo. Peça um novo ao banco e troque as credenciais.",
    "The certificate of {name} is valid until {time}: after that the bank refuses everything. Ask the bank for a new one and replace the credentials.",
  ],
  interrupted: [
    "O provedor de {name} parou de avisar depois de muitas falhas, como se viu em {time}: as novidades chegam só pelas consultas. Veja se ele alcança este serviço, e depois verifique a conta registrando o endereço dos avisos.",
    "The provider of {name} has stopped to call back after many failures, as was found on {time}: news come by checks alone. See that it reaches this service, and then verify the account and register the address of callbacks.",
  ],
  few_calls: [
    "O provedor de {name} aceita poucas consultas por minuto ou por dia, e em {time} restavam poucas ou nenhuma: sem elas, quem paga espera. Peça ao provedor um limite maior.",
    "The provider of {name} takes a number of calls in a time, and at {time} few or none were left: without them payers wait. Ask the provider for a higher limit.",
  ],
  unread: [
    "O extrato de {name} não foi lido destes dias, pois o provedor recusa ou não responde direito: {days}. Podem faltar valores e devoluções deles. O serviço continua tentando; confira com o extrato do provedor.",
    "The statement of {name} was not read of these days, as the provider refuses or does not answer as it should: {days}. Money and returns of them may be missing. The service goes on trying; compare with the provider's own statement.",
  ],
  unknown_money: [
    "Valores que entraram nas contas e não são de nenhuma cobrança: {count}",
    "Amounts on the accounts that are of no charge: {count}",
  ],
  stale_rate: [
    "O último câmbio do dólar é velho demais: nada é convertido até que venha outro",
    "The newest exchange rate is too old: nothing is converted until there is another",
  ],
  held_rate: [
    "Um câmbio do dólar está retido e espera quem opera o serviço",
    "An exchange rate is held and waits for the operator of the service",
  ],
  dispute_deadlines: [
    "Contestações cujo prazo termina em até três dias: {count}",
    "Disputes whose deadline is within three days: {count}",
  ],
  disputes: [
    "Contestações que esperam os seus documentos: {count}",
    "Disputes that wait for your documents: {count}",
  ],
  overdue: [
    "Pagamentos com cartão que o provedor não repassou no dia previsto: {count}",
    "Card payments that the provider did not pay out on their day: {count}",
  ],
  exceptions: [
    "Valores a devolver, que não puderam virar pagamento: {count}",
    "Money to refund, which could not become a payment: {count}",
  ],
  first_difference: [
    "O primeiro dia que difere na conciliação: {difference}",
    "The first day that differs in reconciliation: {difference}",
  ],
  days_to_seal: ["Dias a fechar: {count}", "Days to close: {count}"],
  changed_day: ["{day} mudou depois de fechado: {count}", "{day} changed after it was closed: {count}"],
} as const satisfies Readonly<Record<string, Message>>;

export type NeedKey = keyof typeof NEED_MESSAGES;

export const needMessagesIn = messages(NEED_MESSAGES);
