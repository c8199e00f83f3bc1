import type { DocumentedQuota } from "../connection.ts";

/** How a bank differs from the central bank's API Pix. Profiles are data: a difference in kind is a field here. */
export interface Profile {
  readonly name: string;
  /** The addresses before `/cob`, `/pix` and `/webhook`, without a trailing slash; null: the account names one for all. */
  readonly base: Readonly<Record<Resource, string>> | null;
  /** The whole address of the token; null: the account names it. */
  readonly tokenUrl: string | null;
  readonly tokenStyle: TokenStyle;
  /** Headers and query parameters of each call, with the account's field that each one carries; none of an empty field. */
  readonly headers?: Readonly<Record<string, CallField>>;
  readonly query?: Readonly<Record<string, CallField>>;
  /** True: an account may be without an application key. */
  readonly isAppKeyOptional?: true;
  /** True: the token is asked for without scopes. */
  readonly hasNoScopes?: true;
  /** The address before `/cob` of a charge's change, if it is another one. */
  readonly changeBase?: string;
  /** Headers of a registration whose callbacks show no certificate. */
  readonly openCallbackHeaders?: Readonly<Record<string, string>>;
  /** True: a refund's text is not sent, as the bank does not know it. */
  readonly hasNoReturnText?: true;
  /** The path of a list of money by the times of its returns, beside the standard's list; absent: there is none. */
  readonly returnsPath?: string;
  /** True: the bank makes reports of all movements of an account by days, beside the standard's list of received money. */
  readonly hasReports?: true;
  /** The names of a charge's code in answers, in the order in which they are looked for. */
  readonly codeFields: readonly string[];
  /** True: times in requests have milliseconds. */
  readonly hasMilliseconds: boolean;
  /** The calls a minute that the bank documents. */
  readonly quota?: DocumentedQuota;
  /** Rows of a page of the statement. */
  readonly pageSize: number;
  /** The longest period of one statement, in days. */
  readonly windowDays: number;
}

export type Resource = "cob" | "pix" | "webhook";

/**
 * How the token is asked for. "basic_form", "basic_json": the id and the secret as Basic, the grant in a form or JSON.
 * "secret_form": all in the form. "secret_form_query": the id and the secret in the form, the grant in the query.
 * "id_form": the id in the form, as the certificate is the secret.
 */
type TokenStyle = "basic_form" | "basic_json" | "secret_form" | "secret_form_query" | "id_form";

/** A value of each call: a field of the account, or an id of the call. */
export type CallField = "client_id" | "app_key" | "account_number" | "call_id";
