import { messages } from "../../contract/messages.ts";

export const messagesIn = messages({
  invitation_subject: ["Convite para {tenant}", "Invitation to {tenant}"],
  invitation_text: [
    "Você foi convidado para o painel de pagamentos de {tenant}. Abra este link para escolher uma senha e entrar:",
    "You are invited to the payments console of {tenant}. Open this link to choose a password and sign in:",
  ],
  invitation_once: [
    "O link vale uma vez e até {time}. Se você não esperava este convite, ignore este e-mail.",
    "The link works once, until {time}. If you did not expect this invitation, ignore this e-mail.",
  ],
  secrets_subject: ["Novo acesso a {tenant}", "New access to {tenant}"],
  secrets_text: [
    "Um proprietário de {tenant} pediu para você uma nova senha e um novo autenticador. Abra este link para escolhê-los:",
    "An owner of {tenant} asked for a new password and a new authenticator for you. Open this link to choose them:",
  ],
  secrets_once: [
    "O link vale uma vez e até {time}. Até lá, a senha e o autenticador atuais continuam valendo.",
    "The link works once, until {time}. Until it is used, your password and authenticator stay as they are.",
  ],
  reset_subject: ["Nova senha", "New password"],
  reset_text: [
    "Alguém pediu uma nova senha para a sua conta no painel de pagamentos ({tenants}). Abra este link para escolher uma:",
    "Someone asked for a new password for your account at the payments console ({tenants}). Open this link to choose one:",
  ],
  reset_once: [
    "O link vale uma vez e até {time}. O código do autenticador continua sendo pedido. Se não foi você, ignore este e-mail: nada mudou.",
    "The link works once, until {time}. The authenticator's code is still asked for. If it was not you, ignore this e-mail: nothing has changed.",
  ],
  digest_subject: ["Pendências de {tenant}: {count}", "{tenant} needs attention: {count}"],
  digest_text: ["Pendências de {tenant} em produção:", "What needs attention at {tenant}, in live mode:"],
  payment_subject_pix: ["Pix recebido: {amount}", "Pix received: {amount}"],
  payment_subject_card: ["Pagamento no cartão: {amount}", "Card payment: {amount}"],
  payment_subject_ted: ["Transferência recebida: {amount}", "Bank transfer received: {amount}"],
  payment_text: [
    "{tenant} recebeu um pagamento de {amount} em {time}.",
    "{tenant} received a payment of {amount} on {time}.",
  ],
  payment_off: [
    "Você pediu um e-mail de cada pagamento. Para não receber mais:",
    "You asked for an e-mail of each payment. To get no more:",
  ],
  receipt_subject: ["Comprovante: {amount} para {merchant}", "Receipt: {amount} to {merchant}"],
  receipt_text: [
    "Você pagou {amount} para {merchant} em {time}.",
    "You paid {amount} to {merchant} on {time}.",
  ],
  receipt_payment: ["ID do pagamento: {id}", "Payment ID: {id}"],
  receipt_page: ["O comprovante completo:", "The whole receipt:"],
  receipt_why: [
    "Você recebe este e-mail porque alguém informou este endereço na página do pagamento. O endereço não fica guardado.",
    "You get this e-mail because someone entered this address on the payment's page. The address is not kept.",
  ],
  urgent: ["Urgente", "Urgent"],
  digest_home: ["O painel mostra todas:", "The console shows all of it:"],
  digest_off: [
    "Você recebe este e-mail no máximo uma vez por hora quando há algo novo, e uma vez por dia enquanto houver pendências. Para não receber mais:",
    "You get this e-mail at most once an hour when there is something new, and once a day while something needs attention. To get no more:",
  ],
});
