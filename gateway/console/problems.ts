import { create, type DescMessage } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { ViolationsSchema, type Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { FastifyReply } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { limitsOf } from "../../contract/rule-words.ts";
import { violatedField } from "../../contract/violated-field.ts";
import { refusedInput } from "./core.ts";
import type { Translate } from "../pages/messages.ts";
import type { MessageKey } from "./messages.ts";

/** Messages for the core's error codes. */
const CODE_MESSAGES: Readonly<Record<string, MessageKey>> = {
  password_refused: "password_refused",
  code_refused: "code_refused",
  too_many_attempts: "too_many_attempts",
  too_many_emails: "too_many_emails",
  sign_in_refused: "sign_in_refused",
  last_owner: "last_owner",
  user_exists: "user_exists",
  reset_not_allowed: "reset_not_allowed",
  merchant_net_not_positive: "net_not_positive",
  payment_method_unsupported: "method_unsupported",
  quote_fx_required: "rate_missing",
  quote_expired: "quote_expired",
  quote_consumed: "quote_consumed",
  refund_period_over: "refund_period_over",
  reserved_metadata_key: "reserved_metadata_key",
  idempotency_key_reuse: "sent_before",
  media_refused: "media_refused",
  quota_exceeded: "quota_exceeded",
  not_available_in_live: "test_only",
  day_not_ended: "day_not_ended",
};

/** Of no field: a page never names a legal entity. */
const SEVERAL_ENTITIES = "several_legal_entities";

/** Messages for what the core refuses as an invalid request, by the fact that says why. */
const REFUSAL_MESSAGES: Readonly<Record<string, MessageKey>> = {
  card_number: "card_number_refused",
  before_first_day: "before_first_day",
  amount_too_small: "amount_too_small",
  several_legal_entities: SEVERAL_ENTITIES,
};

/** Messages for a field, by the last part of the violated rule's id. */
const RULE_MESSAGES: Readonly<Record<string, MessageKey>> = {
  required: "field_required",
  min_len: "field_required",
  min_items: "field_required",
  max_len: "field_too_long",
  max_items: "field_too_many",
  email: "field_email",
  gte: "field_out_of_range",
  lte: "field_out_of_range",
  gte_lte: "field_out_of_range",
};

/** The problems of a form: a text for each field; those under "" concern the whole form. */
export type Problems = ReadonlyMap<string, string>;

// Limits of amounts are counted in the smallest unit, which no user writes.
const LIMIT_SHOWN_MAX = 100_000;

export const NO_PROBLEMS: Problems = new Map();

/** A problem that the page itself finds in the submitted fields. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

/** Returns all problems that these readers of a form's fields find: each stops at its first one. */
export function allProblems(readers: readonly (() => unknown)[]): Problems {
  return new Map(
    readers.flatMap((read) => {
      try {
        read();
        return [];
      } catch (error) {
        if (error instanceof FormProblem) return [[error.field, error.message]];
        throw error;
      }
    }),
  );
}

/** Returns the contract's code of a refusal by the core, or undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return infoOf(error)?.reason;
}

/** Returns the facts that a refusal by the core brings along, or none. */
export function factsOf(error: unknown): Readonly<Record<string, string>> {
  return infoOf(error)?.metadata ?? {};
}

/** Sets Retry-After to the seconds that the core asks for. Returns false if it asks for none. */
export function askToWait(error: unknown, reply: FastifyReply): boolean {
  const seconds = waitOf(error);
  if (seconds === undefined) return false;
  void reply.header(HEADERS.retryAfter, String(seconds));
  return true;
}

/** Returns whether the core has no such thing for this tenant and mode. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.NotFound && codeOf(error) !== undefined;
}

/** Returns the problems for a form, or undefined if the error is a failure of the service. */
export function problemsOf(error: unknown, t: Translate<MessageKey>): Problems | undefined {
  if (error instanceof FormProblem) return new Map([[error.field, error.message]]);
  const info = infoOf(error);
  if (!info || !(error instanceof ConnectError)) return undefined;
  const [{ violations } = create(ViolationsSchema)] = error.findDetails(ViolationsSchema);
  if (violations.length > 0) {
    const input = refusedInput(error);
    return new Map(violations.map((violation) => [fieldOf(violation), ruleText(violation, input, t)]));
  }
  const word = ownOf(CODE_MESSAGES, info.reason) ?? ownOf(REFUSAL_MESSAGES, info.metadata["refusal"] ?? "");
  if (word === undefined && info.reason !== "invalid_request") return undefined;
  const param = info.metadata["param"] ?? "";
  const seconds = waitOf(error) ?? 1;
  return new Map([
    ...othersOf(error, param).map((other): [string, string] => [other, t("refused_field")]),
    [
      word === SEVERAL_ENTITIES ? "" : param,
      t(word ?? "refused_field", { seconds, minutes: Math.ceil(seconds / 60) }),
    ],
  ]);
}

/** Returns the other fields that the core refused with the first one. */
function othersOf(error: ConnectError, param: string): string[] {
  const [{ fieldViolations } = create(BadRequestSchema)] = error.findDetails(BadRequestSchema);
  return fieldViolations.map(({ field }) => field).filter((field) => field !== param);
}

function ownOf(texts: Readonly<Record<string, MessageKey>>, word: string): MessageKey | undefined {
  return Object.hasOwn(texts, word) ? texts[word] : undefined;
}

function waitOf(error: unknown): number | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const [retry] = error.findDetails(RetryInfoSchema);
  return retry?.retryDelay && Math.max(1, Math.ceil(durationMs(retry.retryDelay) / 1000));
}

function infoOf(error: unknown) {
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "paylink");
}

function fieldOf({ field }: Violation): string {
  const names = (field?.elements ?? []).map(({ fieldName }) => fieldName);
  // A list in a wrapper message is one field of the form.
  return names.findLast((name) => name !== "values") ?? "";
}

/** Returns the text for the violated rule, with its limits if they help the user. */
function ruleText(violation: Violation, input: DescMessage | undefined, t: Translate<MessageKey>): string {
  const word = RULE_MESSAGES[violation.ruleId.split(".").at(-1) ?? ""] ?? "refused_field";
  const { field, kind, isEntry } = input ? violatedField(input, violation) : {};
  const { least, most } = field && kind ? limitsOf(field, kind, isEntry) : {};
  if (most === undefined || most > LIMIT_SHOWN_MAX) return t(word);
  if (word === "field_too_long") return t("field_too_long_than", { high: Number(most) });
  if (word !== "field_out_of_range" || least === undefined) return t(word);
  return t("field_between", { low: Number(least), high: Number(most) });
}
