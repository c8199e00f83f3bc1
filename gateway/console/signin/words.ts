import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  sign_in: "Entrar",
  sign_in_lead: "Painel de pagamentos da sua empresa.",
  ended: "Sua sessão terminou e nada foi salvo. Entre e repita.",
  email: "E-mail",
  password: "Senha",
  code: "Código do aplicativo autenticador",
  code_help: "Os 6 números que o aplicativo mostra agora.",
  lost: "Perdeu a senha ou o celular? Peça a um proprietário da empresa um link de redefinição.",
  invitation: "Convite para {tenant}",
  reset: "Novo acesso a {tenant}",
  invited_as: "Você foi convidado como {role} com o e-mail {email}.",
  reset_for: "Escolha uma nova senha e um novo autenticador para {email}.",
  has_account:
    "Já existe uma conta com este e-mail. Se é sua, confirme com a senha e o código do aplicativo.",
  make_account: "A conta não é minha, ou não tenho mais a senha: criar uma conta só para esta empresa",
  new_account:
    "Você vai criar uma conta só para esta empresa, com senha e autenticador próprios. A outra conta com este e-mail não tem acesso a ela.",
  use_account: "Tenho conta com este e-mail: entrar com a senha dela",
  your_name: "Seu nome",
  new_password: "Nova senha",
  name_missing: "Escreva o seu nome.",
  password_rule: "A senha precisa de 12 a 256 caracteres e não pode ser o seu e-mail.",
  new_password_help: "Pelo menos 12 caracteres. Uma frase é melhor que um símbolo.",
  authenticator: "Aplicativo autenticador",
  authenticator_help:
    "Leia este código QR com um aplicativo como Google Authenticator, 1Password ou Aegis, e digite os 6 números que ele mostra.",
  qr: "Código QR do autenticador",
  secret: "Ou digite esta chave no aplicativo",
  accept: "Aceitar convite e entrar",
  accept_reset: "Salvar e entrar",
  gone_title: "Este link não vale mais",
  gone_text: "Convites valem 7 dias e só uma vez. Peça um novo a um proprietário da empresa.",
} as const;

type Word = keyof typeof portuguese;

const english: Readonly<Record<Word, string>> = {
  sign_in: "Sign in",
  sign_in_lead: "Your company's payments console.",
  ended: "Your session ended and nothing was saved. Sign in and repeat.",
  email: "E-mail",
  password: "Password",
  code: "Code of the authenticator app",
  code_help: "The 6 digits that the app shows now.",
  lost: "Lost your password or your phone? Ask an owner of the company for a reset link.",
  invitation: "Invitation to {tenant}",
  reset: "New access to {tenant}",
  invited_as: "You are invited as {role} with the e-mail {email}.",
  reset_for: "Choose a new password and a new authenticator for {email}.",
  has_account:
    "There is an account with this e-mail. If it is yours, confirm with its password and your app's code.",
  make_account: "It is not mine, or I lost its password: create an account for this company only",
  new_account:
    "You are creating an account for this company only, with a password and an authenticator of its own. The other account with this e-mail has no access to it.",
  use_account: "I have an account with this e-mail: use its password",
  your_name: "Your name",
  new_password: "New password",
  name_missing: "Write your name.",
  password_rule: "The password needs 12 to 256 characters, and must not be your e-mail.",
  new_password_help: "At least 12 characters. A sentence beats a symbol.",
  authenticator: "Authenticator app",
  authenticator_help:
    "Read this QR code with an app such as Google Authenticator, 1Password or Aegis, and type the 6 digits that it shows.",
  qr: "QR code of the authenticator",
  secret: "Or type this key into the app",
  accept: "Accept the invitation and sign in",
  accept_reset: "Save and sign in",
  gone_title: "This link is not good any more",
  gone_text: "Invitations are good for 7 days and only once. Ask an owner of the company for a new one.",
};

export type Say = SayOf<Word>;

/** Says a word of the pages before one has signed in. */
export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}
