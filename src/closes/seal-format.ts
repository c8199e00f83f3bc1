import type { JsonObject } from "@bufbuild/protobuf";

/** The current format of seals: each row is one line of the public JSON of a payment, newest first. */
export const FORMAT_VERSION = 3;

/** The fields that a format covers: of a payment, and of its fx. */
interface SealFormat {
  readonly payment: readonly string[];
  readonly fx: readonly string[];
}

const FIRST_FIELDS = [
  "id",
  "link_id",
  "status",
  "reference",
  "created_at",
  "updated_at",
  "amount",
  "currency",
  "gross_amount",
  "gross_currency",
  "fee_amount",
  "fee_currency",
  "net_amount",
  "net_currency",
  "fee_handling",
  "fx",
  "payment_method",
  "installments",
  "failure_code",
];
const FX_FIELDS = ["rate", "base", "quote", "locked_at", "valid_until", "rate_history_id"];

// A new field of Payment needs a new version: older seals do not have it, and are compared without it.
const FORMATS: Readonly<Record<number, SealFormat>> = {
  1: { payment: [...FIRST_FIELDS, "metadata"], fx: FX_FIELDS },
  2: { payment: [...FIRST_FIELDS, "refunded_amount", "metadata"], fx: FX_FIELDS },
  3: { payment: [...FIRST_FIELDS, "refunded_amount", "end_to_end_id", "metadata"], fx: FX_FIELDS },
};

/** Returns the fields of a format. Throws Error on an unknown version. */
export function sealFormat(version: number): SealFormat {
  const format = FORMATS[version];
  if (!format) throw new Error(`no format ${version} of sealed rows`);
  return format;
}

/** Returns true if two rows are equal in all fields of the format. */
export function isSameRow(version: number, sealed: string, current: string): boolean {
  return sealed === current || known(version, sealed) === known(version, current);
}

function known(version: number, row: string): string {
  const format = sealFormat(version);
  const { fx, ...payment } = JSON.parse(row) as JsonObject;
  const picked = pick(payment, format.payment);
  return JSON.stringify([picked, isObject(fx) ? pick(fx, format.fx) : null]);
}

function pick(object: JsonObject, fields: readonly string[]): unknown[] {
  return fields.map((field) => [field, object[field]]);
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
