import { brCode } from "./br-code.ts";
import {
  termsOf,
  type Account,
  type Charge,
  type ChargeStatus,
  type ChargeTerms,
  type Money,
  type Return,
} from "./state.ts";

/** The form of times: as banks differ. "local_zulu": São Paulo's time labelled as UTC, in what is asked for, too. */
export type TimeForm = "zulu" | "offset" | "seconds" | "local" | "local_zulu";

const BRASILIA_MS = 3 * 3600 * 1000;

/** Returns a time in one of the forms that banks use. */
export function timeText(time: Date, form: TimeForm): string {
  const text = time.toISOString();
  const local = new Date(time.getTime() - BRASILIA_MS).toISOString().slice(0, -1);
  switch (form) {
    case "zulu":
      return text;
    case "offset":
      return `${local}-03:00`;
    case "seconds":
      return text.replace(/\.\d{3}Z$/, "Z");
    case "local":
      return local;
    case "local_zulu":
      return `${local}Z`;
  }
}

/** Returns centavos as the API Pix writes them: "159.90". */
export function amountText(amountMinor: bigint): string {
  const digits = amountMinor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns the code by which payers pay a charge. */
export function codeOf(charge: Charge): string {
  return brCode(charge.location, amountText(termsOf(charge).amountMinor));
}

/** Returns a charge as its creation and its change answer it. */
export function chargeBody(
  charge: Charge,
  form: TimeForm,
  revision: { readonly terms: ChargeTerms; readonly status: ChargeStatus; readonly number: number },
): Record<string, unknown> {
  const { txid, createdAt, location, locationId } = charge;
  const { terms, status, number } = revision;
  const amount = amountText(terms.amountMinor);
  const criacao = timeText(createdAt, form);
  return {
    ...terms.rest,
    calendario: { criacao, expiracao: terms.seconds },
    txid,
    revisao: number,
    loc: { id: locationId, location, tipoCob: "cob", criacao },
    location,
    status,
    valor: { original: amount },
    chave: terms.key,
    pixCopiaECola: brCode(location, amount),
  };
}

/** Returns money as statements and callbacks have it. A charge's own list leaves out the key. */
export function moneyBody(money: Money, form: TimeForm, hasKey: boolean): Record<string, unknown> {
  const { endToEndId, txid, key, amountMinor, at, payerName, returns } = money;
  const valor = amountText(amountMinor);
  return {
    endToEndId,
    ...(txid === null ? {} : { txid }),
    valor,
    componentesValor: { original: { valor } },
    ...(hasKey ? { chave: key } : {}),
    horario: timeText(at, form),
    ...(payerName === undefined ? {} : { pagador: { nome: payerName, cpf: "52998224725" } }),
    ...(returns.length === 0 ? {} : { devolucoes: returns.map((one) => returnBody(one, form)) }),
  };
}

export function returnBody(one: Return, form: TimeForm): Record<string, unknown> {
  const { id, returnId, amountMinor, nature, note, requestedAt, isWithoutTimes, settledAt, status, reason } =
    one;
  return {
    id,
    rtrId: returnId,
    valor: amountText(amountMinor),
    natureza: nature,
    ...(note === null ? {} : { descricao: note }),
    horario: isWithoutTimes
      ? null
      : {
          solicitacao: timeText(requestedAt, form),
          ...(settledAt === null ? {} : { liquidacao: timeText(settledAt, form) }),
        },
    status,
    ...(reason === null ? {} : { motivo: reason }),
  };
}

/** The bank's answer has a company's number, which the official file demands, and the key, which banks have. */
export function webhookBody(
  account: Account,
  key: string,
  form: TimeForm,
): Record<string, unknown> | undefined {
  const webhook = account.webhooks.get(key);
  if (!webhook) return undefined;
  const criacao = timeText(webhook.createdAt, form);
  return { webhookUrl: webhook.url, chave: key, cnpj: "12345678000195", criacao };
}
