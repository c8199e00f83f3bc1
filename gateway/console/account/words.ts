import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  title: "Minha conta",
  you: "Você",
  name: "Nome",
  email: "E-mail",
  role: "Papel nesta empresa",
  companies: "Empresas",
  sessions: "Onde você está conectado",
  browser: "Navegador",
  company: "Empresa",
  address: "Endereço de rede",
  began: "Entrou em",
  last_seen: "Visto por último",
  actions: "Ações",
  this_one: "esta sessão",
  unknown: "desconhecido",
  browser_on: "{browser} em {system}",
  end: "Encerrar",
  ended: "Sessão encerrada.",
  everywhere: "Sair de todos os lugares",
  everywhere_question: "Sair de todos os lugares, daqui também?",
  ends: "Esta sessão termina uma hora depois do último clique, e em todo caso em {time}.",
  password: "Mudar a senha",
  current_password: "Senha de agora",
  new_password: "Nova senha",
  new_password_help: "De 12 a 256 caracteres, e não o seu e-mail.",
  again: "Nova senha outra vez",
  differs: "As duas senhas novas são diferentes.",
  length: "A senha precisa ter de 12 a 256 caracteres e não pode ser o seu e-mail.",
  change_password: "Mudar a senha",
  password_text: "As suas outras sessões terminam; esta continua.",
  password_changed: "Senha mudada. As suas outras sessões terminaram.",
} as const;

export type Word = keyof typeof portuguese;
export type Say = SayOf<Word>;

const english: Readonly<Record<Word, string>> = {
  title: "My account",
  you: "You",
  name: "Name",
  email: "E-mail",
  role: "Role in this company",
  companies: "Companies",
  sessions: "Where you are signed in",
  browser: "Browser",
  company: "Company",
  address: "Network address",
  began: "Signed in",
  last_seen: "Last seen",
  actions: "Actions",
  this_one: "this session",
  unknown: "unknown",
  browser_on: "{browser} on {system}",
  end: "End",
  ended: "Session ended.",
  everywhere: "Sign out everywhere",
  everywhere_question: "Sign out everywhere, here too?",
  ends: "This session ends an hour after your last click, and in any case {time}.",
  password: "Change password",
  current_password: "Password until now",
  new_password: "New password",
  new_password_help: "12 to 256 characters, and not your e-mail.",
  again: "New password again",
  differs: "The two new passwords differ.",
  length: "The password must have 12 to 256 characters and not be your e-mail.",
  change_password: "Change password",
  password_text: "Your other sessions end; this one goes on.",
  password_changed: "Password changed. Your other sessions have ended.",
};

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
