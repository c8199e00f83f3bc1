import { messages } from "./messages.ts";

/** What an account cannot do without a scope that its provider did not grant, in words. */
const MISSING_SCOPE_MESSAGES = {
  "pix.write": [
    "Sem pix.write nenhuma devolução pode ser feita por aqui.",
    "Without pix.write no refund can be made here.",
  ],
  "pix.read": [
    "Sem pix.read o extrato não é lido: dinheiro sem cobrança, devoluções do próprio banco (MED) e o fim das suas devoluções não aparecem.",
    "Without pix.read statements are not read: money without a charge, returns by the bank itself (MED) and the end of your refunds are not seen.",
  ],
  "webhook.write": [
    "Sem webhook.write o endereço dos avisos não pode ser registrado por aqui: peça ao banco. Sem avisos, um pagamento aparece mais tarde.",
    "Without webhook.write the address of callbacks cannot be registered here: ask the bank for it. Without callbacks a payment is seen later.",
  ],
  "webhook.read": [
    "Sem webhook.read não se sabe em que endereço o banco avisa: o daqui só é registrado se puder substituir outro.",
    "Without webhook.read it is not known where the bank calls back: the address here is registered only if it may replace another one.",
  ],
  "gn.reports.write": [
    "Sem gn.reports.write o extrato de conciliação não pode ser pedido: o saldo e as tarifas da conta não são conferidos.",
    "Without gn.reports.write the reconciliation report cannot be asked for: the account's balance and fees are not compared.",
  ],
  "gn.reports.read": [
    "Sem gn.reports.read o extrato de conciliação não é lido: o saldo e as tarifas da conta não são conferidos.",
    "Without gn.reports.read the reconciliation report is not read: the account's balance and fees are not compared.",
  ],
} as const;

export const missingScopeMessagesIn = messages(MISSING_SCOPE_MESSAGES);

type ExplainedScope = keyof typeof MISSING_SCOPE_MESSAGES;

/** Returns those of the scopes whose lack has words. */
export function explainedScopes(scopes: readonly string[]): ExplainedScope[] {
  return scopes.filter((scope): scope is ExplainedScope => Object.hasOwn(MISSING_SCOPE_MESSAGES, scope));
}
