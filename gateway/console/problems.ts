import { create } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { ViolationsSchema, type Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { FastifyReply } from "fastify";
import type { Translate } from "../pages/messages.ts";
import type { MessageKey } from "./messages.ts";
import { CODE_MESSAGES, RULE_MESSAGES } from "./problem-messages.ts";

/** What is wrong with a form: a text for each field concerned; under "" what concerns the whole of it. */
export type Problems = ReadonlyMap<string, string>;

// Amounts are written otherwise than their rules count them.
const LIMIT_SHOWN_MAX = 100_000;

export const NO_PROBLEMS: Problems = new Map();

/** What a page itself finds wrong with what was typed. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, text: string) {
    super(text);
    this.field = field;
  }
}

/** The contract's code of what the core refused; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  return infoOf(error)?.reason;
}

/** Says in the header Retry-After how long the core wants the person to wait; false when it wants no such thing. */
export function askToWait(error: unknown, reply: FastifyReply): boolean {
  const seconds = waitOf(error);
  if (seconds === undefined) return false;
  void reply.header("retry-after", String(seconds));
  return true;
}

/** Whether the core says that there is no such thing: of another tenant, of the other mode, or not at all. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.NotFound && codeOf(error) !== undefined;
}

/** What was refused, as a form says it; undefined when it is a failure of ours. */
export function problemsOf(error: unknown, t: Translate<MessageKey>): Problems | undefined {
  if (error instanceof FormProblem) return new Map([[error.field, error.message]]);
  const info = infoOf(error);
  if (!info || !(error instanceof ConnectError)) return undefined;
  const [{ violations } = create(ViolationsSchema)] = error.findDetails(ViolationsSchema);
  if (violations.length > 0) {
    return new Map(violations.map((violation) => [fieldOf(violation), ruleText(violation, t)]));
  }
  const word = Object.hasOwn(CODE_MESSAGES, info.reason) ? CODE_MESSAGES[info.reason] : undefined;
  if (word === undefined && info.reason !== "invalid_request") return undefined;
  return new Map([
    [info.metadata["param"] ?? "", t(word ?? "refused_field", { seconds: waitOf(error) ?? 1 })],
  ]);
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
  // A list that is wrapped in a message is one field to whoever fills in a form.
  return names.findLast((name) => name !== "values") ?? "";
}

/** What the rule asks for, with its limits where a person can use them. */
function ruleText({ ruleId, message }: Violation, t: Translate<MessageKey>): string {
  const word = RULE_MESSAGES[ruleId.split(".").at(-1) ?? ""] ?? "refused_field";
  // The sentence names the field and then what it must be.
  const limits = (message.replace(/^\S+ /, "").match(/\d+/g) ?? []).map(Number);
  if (limits.length === 0 || limits.some((limit) => limit > LIMIT_SHOWN_MAX)) return t(word);
  const [low = 0, high] = limits;
  if (word === "field_too_long") return t("field_too_long_than", { high: high ?? low });
  if (word !== "field_out_of_range" || high === undefined) return t(word);
  return t("field_between", { low: Math.min(low, high), high: Math.max(low, high) });
}
