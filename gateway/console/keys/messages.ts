import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Chaves de API", "API keys"],
  lead: [
    "Uma chave deixa o seu sistema usar a API em nome da empresa. Esta página mostra as do ambiente de {mode}.",
    "A key lets your system use the API on the company's behalf. This page shows those of the {mode} environment.",
  ],
  new_title: ["Nova chave de API", "New API key"],
  create: ["Criar chave", "Create key"],
  name: ["Nome", "Name"],
  name_help: [
    "Para reconhecer a chave depois: onde ela vai ser usada.",
    "To know the key again later: where it is going to be used.",
  ],
  scopes: ["O que ela pode fazer", "What it may do"],
  scopes_none: ["Escolha ao menos uma permissão.", "Choose at least one permission."],
  "payment_links:write": ["Criar e mudar links de pagamento", "Create and change payment links"],
  "quotes:write": ["Fazer cotações", "Make quotes"],
  "payment_intents:write": ["Criar intenções de pagamento", "Create payment intents"],
  "payments:read": ["Consultar pagamentos", "Look at payments"],
  key: ["Chave", "Key"],
  addresses: ["De onde", "From where"],
  addresses_help: [
    "Endereços IP ou redes, como 203.0.113.0/24, um por linha. Vazio: de qualquer lugar.",
    "IP addresses or networks, such as 203.0.113.0/24, one on each line. Empty: from anywhere.",
  ],
  addresses_refused: [
    "Cada um é um endereço IP ou uma rede, como 203.0.113.0/24; no máximo 50, sem repetir.",
    "Each is an IP address or a network, such as 203.0.113.0/24; at most 50, none twice.",
  ],
  any_address: ["qualquer lugar", "anywhere"],
  expires: ["Vale até", "Good until"],
  in_days: ["por {days} dias", "for {days} days"],
  created: ["Criada em", "Created"],
  last_used: ["Último uso", "Last used"],
  never: ["nunca", "never"],
  state: ["Situação", "State"],
  active: ["Ativa", "Active"],
  revoked: ["Revogada", "Revoked"],
  expired: ["Vencida", "Expired"],
  no_name: ["sem nome", "no name"],
  empty: [
    "Nenhuma chave ainda. Crie a primeira para ligar a sua loja à API.",
    "No keys yet. Create the first one to connect your shop to the API.",
  ],
  empty_read: ["Nenhuma chave ainda.", "No keys yet."],
  made_title: ["Chave criada", "Key created"],
  made_once: [
    "Copie a chave agora: ela não aparece de novo. Guarde-a onde só o seu sistema lê.",
    "Copy the key now: it is not shown again. Keep it where only your system reads it.",
  ],
  made_label: ["Chave de API", "API key"],
  made_done: ["Já guardei a chave", "I have kept the key"],
  rotate: ["Trocar", "Replace"],
  rotate_title: ["Trocar chave", "Replace key"],
  rotate_text: [
    "Uma chave nova entra no lugar desta, com o mesmo nome, permissões e endereços. Enquanto o seu sistema é mudado, as duas valem.",
    "A new key takes the place of this one, with the same name, permissions and addresses. While your system is changed over, both are good.",
  ],
  rotate_yes: ["Trocar esta chave", "Replace this key"],
  replaced: ["Já trocada", "Replaced"],
  replaced_already: [
    "Esta chave já foi trocada por outra: troque a nova, ou crie mais uma.",
    "This key was replaced by another one already: replace the new one, or create one more.",
  ],
  overlap: ["Esta chave ainda vale por", "This key stays good for"],
  overlap_none: ["nenhum tempo", "no time"],
  overlap_hour: ["uma hora", "an hour"],
  overlap_day: ["um dia", "a day"],
  overlap_week: ["uma semana", "a week"],
  revoke: ["Revogar", "Revoke"],
  revoke_title: ["Revogar chave", "Revoke key"],
  revoke_text: [
    "A partir da próxima requisição esta chave é recusada, e não volta. O que ela já criou fica como está.",
    "From the next request on this key is refused, and it does not come back. What it made stays as it is.",
  ],
  revoke_yes: ["Revogar esta chave", "Revoke this key"],
  revoked_done: [
    "Chave revogada: a próxima requisição com ela já é recusada.",
    "Key revoked: the next request with it is refused.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
export type MessageKey = Parameters<Translate>[0];
