import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  sign_in: ["Entrar", "Sign in"],
  sign_in_lead: ["Painel de pagamentos da sua empresa.", "Your company's payments console."],
  ended: [
    "Sua sessão terminou e nada foi salvo. Entre e repita.",
    "Your session ended and nothing was saved. Sign in and repeat.",
  ],
  email: ["E-mail", "E-mail"],
  password: ["Senha", "Password"],
  code: ["Código do aplicativo autenticador", "Code of the authenticator app"],
  code_help: ["Os 6 números que o aplicativo mostra agora.", "The 6 digits that the app shows now."],
  lost: [
    "Perdeu a senha ou o celular? Peça a um proprietário da empresa um link de redefinição.",
    "Lost your password or your phone? Ask an owner of the company for a reset link.",
  ],
  lost_phone: [
    "Perdeu o celular? Peça a um proprietário da empresa um link de redefinição.",
    "Lost your phone? Ask an owner of the company for a reset link.",
  ],
  ask_reset: ["Esqueci a senha", "I forgot my password"],
  ask_reset_text: [
    "Enviamos por e-mail um link para escolher uma nova senha. Ele vale 30 minutos e uma vez.",
    "We send a link by e-mail with which you choose a new password. It works once, for 30 minutes.",
  ],
  ask_reset_button: ["Enviar o link", "Send the link"],
  email_wrong: ["Escreva um endereço de e-mail.", "Write an e-mail address."],
  reset_sent: ["Confira o seu e-mail", "Check your e-mail"],
  reset_sent_text: [
    "Se há uma conta com este endereço, o link chega em alguns minutos. Sem link, confira o endereço ou fale com um proprietário da empresa.",
    "If there is an account with this address, the link comes in a few minutes. Without one, check the address or ask an owner of the company.",
  ],
  reset_own: ["Nova senha", "New password"],
  reset_own_text: [
    "Nova senha para {email}. As suas outras sessões terminam.",
    "New password for {email}. Your other sessions end.",
  ],
  reset_gone: [
    "O link vale 30 minutos e uma vez. Peça outro em Esqueci a senha.",
    "The link works once, for 30 minutes. Ask for another at I forgot my password.",
  ],
  invitation: ["Convite para {tenant}", "Invitation to {tenant}"],
  reset: ["Novo acesso a {tenant}", "New access to {tenant}"],
  invited_as: [
    "Você foi convidado como {role} com o e-mail {email}.",
    "You are invited as {role} with the e-mail {email}.",
  ],
  reset_for: [
    "Escolha uma nova senha e um novo autenticador para {email}.",
    "Choose a new password and a new authenticator for {email}.",
  ],
  has_account: [
    "Já existe uma conta com este e-mail. Se é sua, confirme com a senha e o código do aplicativo.",
    "There is an account with this e-mail. If it is yours, confirm with its password and your app's code.",
  ],
  make_account: [
    "A conta não é minha, ou não tenho mais a senha: criar uma conta só para esta empresa",
    "It is not mine, or I lost its password: create an account for this company only",
  ],
  new_account: [
    "Você vai criar uma conta só para esta empresa, com senha e autenticador próprios. A outra conta com este e-mail não tem acesso a ela.",
    "You are creating an account for this company only, with a password and an authenticator of its own. The other account with this e-mail has no access to it.",
  ],
  use_account: [
    "Tenho conta com este e-mail: entrar com a senha dela",
    "I have an account with this e-mail: use its password",
  ],
  your_name: ["Seu nome", "Your name"],
  new_password: ["Nova senha", "New password"],
  name_missing: ["Escreva o seu nome.", "Write your name."],
  password_rule: [
    "A senha precisa de 12 a 256 caracteres e não pode ser o seu e-mail.",
    "The password needs 12 to 256 characters, and must not be your e-mail.",
  ],
  new_password_help: [
    "Pelo menos 12 caracteres. Uma frase é melhor que um símbolo.",
    "At least 12 characters. A sentence beats a symbol.",
  ],
  authenticator: ["Aplicativo autenticador", "Authenticator app"],
  authenticator_help: [
    "Leia este QR Code com um aplicativo como Google Authenticator, 1Password ou Aegis, e digite os 6 números que ele mostra.",
    "Read this QR code with an app such as Google Authenticator, 1Password or Aegis, and type the 6 digits that it shows.",
  ],
  open_app: ["Abrir no aplicativo deste aparelho", "Open in the app of this device"],
  code_missing: ["Digite os 6 números do aplicativo.", "Type the 6 digits of the app."],
  qr: ["QR Code do autenticador", "QR code of the authenticator"],
  secret: ["Ou digite esta chave no aplicativo", "Or type this key into the app"],
  accept: ["Aceitar convite e entrar", "Accept the invitation and sign in"],
  accept_reset: ["Salvar e entrar", "Save and sign in"],
  gone_title: ["Este link não vale mais", "This link no longer works"],
  gone_text: [
    "Convites valem 7 dias e só uma vez. Peça um novo a um proprietário da empresa.",
    "Invitations work once, for 7 days. Ask an owner of the company for a new one.",
  ],
});

export type Translate = ReturnType<typeof messagesIn>;
