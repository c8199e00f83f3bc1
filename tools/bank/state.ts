export type Fields = Readonly<Record<string, unknown>>;

export type ChargeStatus = "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";

/** The last one is Banco do Brasil's own, of a return by MED. */
export type ReturnStatus = "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO" | "DEVOLUCAO_MED";
export type ReturnNature = "ORIGINAL" | "MED_OPERACIONAL" | "MED_FRAUDE" | "MED_PIX_AUTOMATICO";

/** What a client asked for, of one revision of a charge. */
export interface ChargeTerms {
  readonly seconds: number;
  readonly amountMinor: bigint;
  readonly key: string;
  /** The optional fields, as they were sent. */
  readonly rest: Fields;
}

export interface Charge {
  readonly txid: string;
  readonly createdAt: Date;
  readonly locationId: number;
  readonly location: string;
  status: ChargeStatus;
  /** All revisions, the present one last. */
  readonly revisions: { readonly terms: ChargeTerms; readonly status: ChargeStatus }[];
  /** The money of the charge's own list. */
  readonly money: Money[];
}

export interface Money {
  readonly endToEndId: string;
  readonly txid: string | null;
  readonly key: string;
  readonly amountMinor: bigint;
  readonly at: Date;
  /** The payer's name, as many banks add it; absent: it does not. */
  readonly payerName?: string;
  readonly returns: Return[];
}

export interface Return {
  readonly id: string;
  readonly returnId: string;
  readonly amountMinor: bigint;
  readonly nature: ReturnNature;
  readonly note: string | null;
  readonly requestedAt: Date;
  /** True: answers leave out both of its times. */
  isWithoutTimes: boolean;
  settledAt: Date | null;
  status: ReturnStatus;
  reason: string | null;
  /** Until then it is not found by its id. */
  hiddenUntil: Date | null;
}

/** A client of the bank: a company with its keys. */
export interface ClientOptions {
  readonly id: string;
  readonly secret: string;
  readonly keys: readonly string[];
  /** Centavos that the bank takes for each PIX that is received; absent: none. */
  readonly feeMinor?: bigint;
}

/** A report of all movements of a day. */
export interface Report {
  readonly id: string;
  readonly day: string;
  readonly askedAt: Date;
  /** How often it is still answered as not made. */
  waits: number;
}

/** What the bank holds for one client. */
export interface Account {
  readonly client: ClientOptions;
  readonly charges: Map<string, Charge>;
  readonly money: Map<string, Money>;
  readonly reports: Map<string, Report>;
  readonly webhooks: Map<string, { readonly url: string; readonly createdAt: Date }>;
  /** The scopes that are granted. */
  scopes: readonly string[];
  /** What it has for reports. */
  reportScopes: readonly string[];
}

export const SCOPES = [
  "cob.write",
  "cob.read",
  "pix.write",
  "pix.read",
  "webhook.write",
  "webhook.read",
] as const;

/** Beside the standard: granted to an application that has them, though they were not asked for. */
export const REPORT_SCOPES = ["gn.reports.write", "gn.reports.read"] as const;

export type Scope = (typeof SCOPES)[number] | (typeof REPORT_SCOPES)[number];

export function newAccount(client: ClientOptions): Account {
  return {
    client,
    charges: new Map(),
    money: new Map(),
    reports: new Map(),
    webhooks: new Map(),
    scopes: SCOPES,
    reportScopes: REPORT_SCOPES,
  };
}

/** Returns the terms of a charge's present revision. */
export function termsOf({ revisions }: Charge): ChargeTerms {
  const last = revisions.at(-1);
  if (!last) throw new Error("a charge has a revision");
  return last.terms;
}
