import { create } from "@bufbuild/protobuf";
import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { FIELDS } from "./form.ts";
import type { MessageKey } from "./messages.ts";

/** A refusal by the core, as a page shows it. */
export interface Refusal {
  readonly status: number;
  /** The answer: the same form with a message, or another page. */
  readonly kind: "form" | "unknown" | "closed" | "session_over" | "prices_changed" | "busy";
  /** The field at fault; empty: the whole form. */
  readonly field: string;
  /** The key of the message that a page shows. */
  readonly message: MessageKey;
  /** The other fields at fault. */
  readonly others?: readonly FieldRefusal[];
}

type FieldRefusal = Pick<Refusal, "field" | "message">;

const closed = { status: 409, kind: "closed", field: "", message: "not_offered" } as const;
const unknown = { status: 404, kind: "unknown", field: "", message: "unknown_title" } as const;

const pricesChanged = {
  status: 409,
  kind: "prices_changed",
  field: "",
  message: "prices_changed",
} as const;

const REFUSALS: Readonly<Record<string, Refusal>> = {
  payment_link_not_found: unknown,
  checkout_session_not_found: unknown,
  payment_not_found: closed,
  payment_link_closed: closed,
  not_available_in_live: closed,
  checkout_session_expired: { status: 409, kind: "session_over", field: "", message: "session_over_title" },
  prices_changed: pricesChanged,
  acknowledged_total_mismatch: {
    status: 409,
    kind: "form",
    field: "acknowledged_total",
    message: "total_changed",
  },
  payment_in_progress: { status: 409, kind: "form", field: "", message: "in_progress" },
  card_refused_for_good: { status: 409, kind: "form", field: "card_token", message: "card_refused_for_good" },
  payment_method_unsupported: { status: 409, kind: "form", field: "", message: "not_offered" },
  merchant_net_not_positive: { status: 409, kind: "form", field: "", message: "not_offered" },
  quota_exceeded: { status: 429, kind: "busy", field: "", message: "busy_title" },
  quote_fx_required: { status: 503, kind: "form", field: "", message: "rate_missing" },
};

const WRONG: Readonly<Record<string, MessageKey>> = {
  name: "name_wrong",
  email: "email_wrong",
  document: "document_wrong",
  phone: "phone_wrong",
  postal_code: "postal_code_wrong",
  state: "state_wrong",
};

/** Returns the refusal in an error, or undefined if the error is a failure of the service. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "paylink");
  const known = info && Object.hasOwn(REFUSALS, info.reason) ? REFUSALS[info.reason] : undefined;
  if (known && known.kind !== "form") return known;
  if (!known && error.code !== Code.InvalidArgument) return undefined;
  const [first, ...others] = fieldsOf(error, info?.metadata["param"]);
  if (known) return { ...known, others: others.filter(({ field }) => field !== known.field) };
  return { status: 422, kind: "form", ...(first ?? { field: "", message: "field_wrong" }), others };
}

/** Returns all fields that an error names, each once. */
function fieldsOf(error: ConnectError, param = ""): FieldRefusal[] {
  // For a field of a nested message, only the violation has its name.
  const [{ violations } = create(ViolationsSchema)] = error.findDetails(ViolationsSchema);
  const tooLong = violations.map(({ field }) => ({
    field: field?.elements.at(-1)?.fieldName ?? "",
    message: "field_too_long" as const,
  }));
  const [{ fieldViolations } = create(BadRequestSchema)] = error.findDetails(BadRequestSchema);
  const wrong = fieldViolations.map(({ field, reason }) => ({ field, message: wrongMessage(field, reason) }));
  const all: FieldRefusal[] =
    tooLong.length > 0 ? tooLong : wrong.length > 0 ? wrong : [{ field: param, message: "field_wrong" }];
  const named = all.map(({ field, message }) => ({ field: FIELDS.has(field) ? field : "", message }));
  return named.filter(({ field }, at) => named.findIndex((one) => one.field === field) === at);
}

function wrongMessage(field: string, reason: string): MessageKey {
  if (reason === "card_number_refused") return "card_number_refused";
  if (reason === "acknowledged_total_mismatch") return "total_changed";
  return WRONG[field] ?? "field_wrong";
}
