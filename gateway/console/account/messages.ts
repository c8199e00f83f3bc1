import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Minha conta", "My account"],
  you: ["Você", "You"],
  name: ["Nome", "Name"],
  email: ["E-mail", "E-mail"],
  role: ["Papel nesta empresa", "Role in this company"],
  companies: ["Empresas", "Companies"],
  sessions: ["Onde você está conectado", "Where you are signed in"],
  browser: ["Navegador", "Browser"],
  company: ["Empresa", "Company"],
  address: ["Endereço de rede", "Network address"],
  began: ["Entrou em", "Signed in"],
  last_seen: ["Visto por último", "Last seen"],
  actions: ["Ações", "Actions"],
  this_one: ["esta sessão", "this session"],
  unknown: ["desconhecido", "unknown"],
  browser_on: ["{browser} em {system}", "{browser} on {system}"],
  end: ["Encerrar", "End"],
  ended: ["Sessão encerrada.", "Session ended."],
  everywhere: ["Sair de todos os lugares", "Sign out everywhere"],
  everywhere_question: ["Sair de todos os lugares, daqui também?", "Sign out everywhere, here too?"],
  ends: [
    "Esta sessão termina uma hora depois do último clique, e em todo caso em {time}.",
    "This session ends an hour after your last click, and in any case {time}.",
  ],
  digest: ["Pendências por e-mail", "What needs attention, by e-mail"],
  digest_is_on: [
    "Ligado: as pendências de {company} em produção chegam por e-mail, uma vez por dia e quando há algo novo.",
    "On: what needs attention at {company} in live mode comes by e-mail, once a day and when there is something new.",
  ],
  digest_is_off: [
    "Desligado: as pendências de {company} só aparecem no painel.",
    "Off: what needs attention at {company} is only in the console.",
  ],
  digest_on: ["Ligar, em português", "Turn on, in English"],
  digest_off: ["Desligar", "Turn off"],
  digest_changed: ["Salvo.", "Saved."],
  payments: ["Pagamentos recebidos, por e-mail", "Payments received, by e-mail"],
  payments_is_on: [
    "Ligado: cada pagamento que {company} recebe em produção chega por e-mail, com valor e produto.",
    "On: each payment that {company} receives in live mode comes by e-mail, with its amount and product.",
  ],
  payments_is_off: [
    "Desligado: os pagamentos de {company} só aparecem no painel.",
    "Off: payments of {company} are only in the console.",
  ],
  payments_on: [
    "Receber um e-mail de cada pagamento, em português",
    "Get an e-mail of each payment, in English",
  ],
  payments_off: ["Não receber e-mails de pagamentos", "Get no e-mails of payments"],
  payments_changed: ["Salvo.", "Saved."],
  password: ["Mudar a senha", "Change password"],
  current_password: ["Senha atual", "Current password"],
  new_password: ["Nova senha", "New password"],
  new_password_help: [
    "De 12 a {maxLength} caracteres, e não o seu e-mail.",
    "12 to {maxLength} characters, and not your e-mail.",
  ],
  again: ["Nova senha outra vez", "New password again"],
  differs: ["As duas senhas novas são diferentes.", "The two new passwords differ."],
  length: [
    "A senha precisa ter de 12 a {maxLength} caracteres e não pode ser o seu e-mail.",
    "The password must have 12 to {maxLength} characters and not be your e-mail.",
  ],
  change_password: ["Mudar a senha", "Change password"],
  password_text: [
    "As suas outras sessões terminam; esta continua.",
    "Your other sessions end; this one goes on.",
  ],
  password_changed: [
    "Senha mudada. As suas outras sessões terminaram.",
    "Password changed. Your other sessions have ended.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
