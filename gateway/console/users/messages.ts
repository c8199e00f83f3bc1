import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Pessoas", "People"],
  lead: [
    "Quem entra no painel desta empresa e o que pode fazer.",
    "Who signs in to this company's console, and what they may do.",
  ],
  members: ["Quem já entrou", "Who has joined"],
  invitations: ["Convites e links abertos", "Open invitations and links"],
  no_invitations: ["Nenhum link aberto.", "No open links."],
  no_members: ["Ninguém entrou ainda. Convide alguém.", "No one has joined yet. Invite someone."],
  name: ["Nome", "Name"],
  email: ["E-mail", "E-mail"],
  role: ["Papel", "Role"],
  since: ["Desde", "Since"],
  last_signed_in: ["Última entrada", "Last sign-in"],
  never: ["nunca", "never"],
  you: ["você", "you"],
  sent: ["Criado em", "Created"],
  expires: ["Vale até", "Valid until"],
  actions: ["Ações", "Actions"],
  reset_link: ["nova senha", "new password"],
  invite: ["Convidar", "Invite"],
  invite_title: ["Convidar alguém", "Invite someone"],
  invite_email_help: [
    "Com este endereço a pessoa vai entrar.",
    "The person is going to sign in with this address.",
  ],
  invite_button: ["Criar convite", "Create invitation"],
  owner_help: [
    "Proprietário: tudo, também pessoas e configurações.",
    "Owner: everything, people and settings too.",
  ],
  developer_help: [
    "Desenvolvimento: links, chaves, webhooks e pagamentos.",
    "Developer: links, keys, webhooks and payments.",
  ],
  finance_help: [
    "Financeiro: pagamentos e devoluções, dados de pagadores, fechamento, links e auditoria.",
    "Finance: payments and refunds, payers' details, the day's close, links and the audit log.",
  ],
  viewer_help: ["Leitura: vê pagamentos e links.", "Viewer: sees payments and links."],
  link_title: ["Link de uso único", "One-time link"],
  link_once: [
    "Copie o link agora e mande só para {email}: ele não aparece de novo, vale uma vez e até {time}. Quem o tiver entra como esta pessoa.",
    "Copy the link now and send it to {email} only: it is not shown again, and works once, until {time}. Anyone who has it signs in as this person.",
  ],
  link_mailed: [
    "O link foi enviado por e-mail para {email}. Se não chegar, copie-o agora e mande só para {email}: ele não aparece de novo, vale uma vez e até {time}. Quem o tiver entra como esta pessoa.",
    "The link was sent to {email} by e-mail. If it does not arrive, copy it now and send it to {email} only: it is not shown again, and works once, until {time}. Anyone who has it signs in as this person.",
  ],
  link_mailed_done: ["Pronto", "Done"],
  link_label: ["Link", "Link"],
  link_done: ["Já mandei o link", "I have sent the link"],
  member_title: ["{name}", "{name}"],
  change_role: ["Mudar o papel", "Change role"],
  change_role_title: ["Papel de {name}", "Role of {name}"],
  change_role_button: ["Mudar o papel", "Change role"],
  role_changed: [
    "Papel mudado: vale a partir do próximo clique da pessoa.",
    "Role changed: it holds from the person's next click on.",
  ],
  remove: ["Remover da empresa", "Remove from the company"],
  remove_title: ["Remover {name}", "Remove {name}"],
  remove_text: [
    "A pessoa sai da empresa, e as sessões dela aqui terminam já. O que ela fez fica como está.",
    "The person leaves the company, and their sessions here end now. What they did stays as it is.",
  ],
  remove_button: ["Remover esta pessoa", "Remove this person"],
  removed: [
    "Pessoa removida: as sessões dela nesta empresa terminaram.",
    "Person removed: their sessions of this company have ended.",
  ],
  reset: ["Nova senha e novo autenticador", "New password and authenticator"],
  reset_title: ["Nova senha para {name}", "New password for {name}"],
  reset_text: [
    "Para quem perdeu a senha ou o aparelho. Você recebe um link de uso único; quando a pessoa o usa, a senha e o autenticador antigos deixam de valer e as sessões dela terminam.",
    "For someone who lost the password or the device. You get a one-time link; when the person uses it, the old password and authenticator stop working and their sessions end.",
  ],
  reset_button: ["Criar o link", "Create the link"],
  revoke: ["Revogar", "Revoke"],
  revoke_title: ["Revogar o convite de {email}", "Revoke the invitation of {email}"],
  revoke_text: ["O link deixa de valer já.", "The link stops working now."],
  revoke_button: ["Revogar o convite", "Revoke the invitation"],
  revoked: ["Convite revogado: o link não vale mais.", "Invitation revoked: the link no longer works."],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
