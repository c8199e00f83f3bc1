import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  title: "Chaves de API",
  lead: "Uma chave deixa o seu sistema usar a API em nome da empresa. Esta página mostra as do ambiente de {mode}.",
  new_title: "Nova chave de API",
  create: "Criar chave",
  name: "Nome",
  name_help: "Para reconhecer a chave depois: onde ela vai ser usada.",
  scopes: "O que ela pode fazer",
  scopes_none: "Escolha ao menos uma permissão.",
  "payment_links:write": "Criar e mudar links de pagamento",
  "quotes:write": "Fazer cotações",
  "payment_intents:write": "Criar intenções de pagamento",
  "payments:read": "Consultar pagamentos",
  key: "Chave",
  created: "Criada em",
  last_used: "Último uso",
  never: "nunca",
  state: "Situação",
  active: "Ativa",
  revoked: "Revogada",
  no_name: "sem nome",
  empty: "Nenhuma chave ainda. Crie a primeira para ligar a sua loja à API.",
  empty_read: "Nenhuma chave ainda.",
  made_title: "Chave criada",
  made_once: "Copie a chave agora: ela não aparece de novo. Guarde-a onde só o seu sistema lê.",
  made_label: "Chave de API",
  made_done: "Já guardei a chave",
  revoke: "Revogar",
  revoke_title: "Revogar chave",
  revoke_text:
    "A partir da próxima requisição esta chave é recusada, e não volta. O que ela já criou fica como está.",
  revoke_yes: "Revogar esta chave",
  revoked_done: "Chave revogada: a próxima requisição com ela já é recusada.",
} as const;

type Word = keyof typeof portuguese;
export type Say = SayOf<Word>;

const english: Readonly<Record<Word, string>> = {
  title: "API keys",
  lead: "A key lets your system use the API on the company's behalf. This page shows those of the {mode} environment.",
  new_title: "New API key",
  create: "Create key",
  name: "Name",
  name_help: "To know the key again later: where it is going to be used.",
  scopes: "What it may do",
  scopes_none: "Choose at least one permission.",
  "payment_links:write": "Create and change payment links",
  "quotes:write": "Make quotes",
  "payment_intents:write": "Create payment intents",
  "payments:read": "Look at payments",
  key: "Key",
  created: "Created",
  last_used: "Last used",
  never: "never",
  state: "State",
  active: "Active",
  revoked: "Revoked",
  no_name: "no name",
  empty: "No keys yet. Create the first one to connect your shop to the API.",
  empty_read: "No keys yet.",
  made_title: "Key created",
  made_once: "Copy the key now: it is not shown again. Keep it where only your system reads it.",
  made_label: "API key",
  made_done: "I have kept the key",
  revoke: "Revoke",
  revoke_title: "Revoke key",
  revoke_text:
    "From the next request on this key is refused, and it does not come back. What it made stays as it is.",
  revoke_yes: "Revoke this key",
  revoked_done: "Key revoked: the next request with it is refused.",
};

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
