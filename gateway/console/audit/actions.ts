import type { Language } from "../../pages/language.ts";

// The texts of actions in Portuguese and English. An action without a text is shown by its own name.
const ACTIONS: Readonly<Record<string, readonly [portuguese: string, english: string]>> = {
  SignIn: ["Entrou", "Signed in"],
  SignInRefused: ["Entrada recusada", "Sign-in refused"],
  SignOut: ["Saiu", "Signed out"],
  SignOutEverywhere: ["Saiu de todos os lugares", "Signed out everywhere"],
  RevokeSession: ["Encerrou uma sessão", "Ended a session"],
  SwitchTenant: ["Mudou de empresa", "Switched company"],
  PutSavedView: ["Salvou uma visão", "Saved a view"],
  RemoveSavedView: ["Apagou uma visão", "Removed a view"],
  PutOwnDigest: ["Mudou os e-mails de pendências", "Changed the e-mails of what needs attention"],
  ResetPassword: ["Escolheu uma nova senha", "Set a new password"],
  ChangePassword: ["Mudou a senha", "Changed password"],
  InviteUser: ["Convidou alguém", "Invited someone"],
  RevokeInvitation: ["Revogou um convite", "Revoked an invitation"],
  AcceptInvitation: ["Aceitou um convite", "Accepted an invitation"],
  ChangeMemberRole: ["Mudou um papel", "Changed a role"],
  RemoveMember: ["Removeu uma pessoa", "Removed a person"],
  ResetUser: ["Fez um link para nova senha", "Made a link to a new password"],
  CreateTenant: ["Criou a empresa", "Created the company"],
  UpdateTenant: ["Mudou as configurações", "Changed settings"],
  CreateLegalEntity: ["Criou uma pessoa jurídica", "Created a legal entity"],
  RenameLegalEntity: ["Renomeou uma pessoa jurídica", "Renamed a legal entity"],
  ReplaceLegalEntity: ["Mudou a moeda em que recebe", "Changed the payout currency"],
  DeactivateLegalEntity: ["Desativou uma pessoa jurídica", "Deactivated a legal entity"],
  CreateApiKey: ["Criou uma chave de API", "Created an API key"],
  RotateApiKey: ["Trocou uma chave de API", "Replaced an API key"],
  RevokeApiKey: ["Revogou uma chave de API", "Revoked an API key"],
  CreatePaymentLink: ["Criou um link", "Created a link"],
  UpdatePaymentLink: ["Mudou um link", "Changed a link"],
  CancelPaymentLink: ["Cancelou um link", "Cancelled a link"],
  ReactivatePaymentLink: ["Reativou um link", "Reactivated a link"],
  AcceptQuote: ["Fez um link de uma cotação", "Made a link of a quote"],
  CreateQuote: ["Fez uma cotação", "Made a quote"],
  SimulatePayment: ["Simulou um pagamento", "Simulated a payment"],
  RecordReceipt: ["Registrou um recebimento", "Recorded a receipt"],
  CheckPayment: ["Perguntou ao banco por um pagamento", "Asked the bank about a payment"],
  CreateRefund: ["Devolveu um pagamento", "Refunded a payment"],
  RefundException: ["Devolveu um recebimento", "Refunded an exception"],
  EndRefund: ["Encerrou uma devolução", "Ended a refund"],
  GetPayerDetails: ["Viu os dados de um pagador", "Was shown a payer's data"],
  ErasePayerDetails: ["Apagou os dados de um pagador", "Erased a payer's data"],
  CountVisits: ["Contou visitas de um link", "Counted visits of a link"],
  RecordExport: ["Baixou um arquivo", "Took an export"],
  ListSealedRows: ["Leu as linhas de um dia fechado", "Read the rows of a sealed day"],
  ListSealDeltas: ["Leu o que mudou num dia fechado", "Read what changed in a sealed day"],
  SealDay: ["Fechou um dia", "Sealed a day"],
  PutPricingRule: ["Mudou uma regra de preço", "Changed a pricing rule"],
  PutFxPolicy: ["Mudou a política de câmbio", "Changed the exchange policy"],
  UploadMedia: ["Enviou uma imagem", "Uploaded a picture"],
  HideMedia: ["Escondeu uma imagem", "Hid a picture"],
  PutProviderAccount: ["Conectou uma conta de banco", "Connected an account at a bank"],
  RotateProviderAccount: ["Trocou as credenciais de uma conta", "Replaced an account's credentials"],
  RetireProviderAccount: ["Aposentou uma conta de banco", "Retired an account at a bank"],
  VerifyProviderAccount: ["Verificou uma conta de banco", "Verified an account at a bank"],
  SweepProviderAccount: ["Leu o extrato de uma conta", "Read an account's statements"],
  SettleUnknownMoney: ["Deu um valor sem cobrança por resolvido", "Settled money without a charge"],
  TakeCallback: ["Recebeu um aviso do banco", "Took a bank's callback"],
  CreateWebhookEndpoint: ["Criou um webhook", "Created a webhook"],
  UpdateWebhookEndpoint: ["Mudou um webhook", "Changed a webhook"],
  DisableWebhookEndpoint: ["Desativou um webhook", "Disabled a webhook"],
  EnableWebhookEndpoint: ["Ativou um webhook", "Enabled a webhook"],
  RotateWebhookSecret: ["Trocou o segredo de um webhook", "Rotated a webhook's secret"],
  DeleteWebhookEndpoint: ["Apagou um webhook", "Deleted a webhook"],
  ResendEvent: ["Reenviou um evento", "Sent an event again"],
  ResendFailedEvents: ["Reenviou eventos que falharam", "Sent failed events again"],
  ResendDeliveries: ["Reenviou entregas", "Made deliveries again"],
  SendTestEvent: ["Enviou um evento de teste", "Sent a test event"],
};

export function actionText(language: Language, action: string): string {
  const texts = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  return texts?.[language === "en" ? 1 : 0] ?? action;
}

/** Returns all actions with their texts, in alphabetical order. */
export function actionOptions(language: Language): [action: string, text: string][] {
  return Object.keys(ACTIONS)
    .map((action): [string, string] => [action, actionText(language, action)])
    .toSorted(([, one], [, other]) => one.localeCompare(other, language));
}
