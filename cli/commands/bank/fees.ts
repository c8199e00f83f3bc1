import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ContractedFee,
  ContractedFeeSchema,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Row } from "../../output/output.ts";

type Fee = MessageInitShape<typeof ContractedFeeSchema>;

const FIELDS = ["kind", "brand", "installments_from", "installments_to", "percent_ppm", "fixed"] as const;

/**
 * Reads the fees of a file: `[{"kind": "card", "brand": "visa", "installments_from": 2, "installments_to": 6,
 * "percent_ppm": 29900, "fixed": 39}]`, as `bank fees list --json` prints them. Throws Error that names the field.
 */
export function readFees(text: string): Fee[] {
  const rows = jsonOf(text);
  if (!Array.isArray(rows)) throw new Error("The file of fees must be a JSON list of objects.");
  return rows.map((row: unknown, index) => readFee(row, `fee ${index + 1}`));
}

/** Returns a fee as a table and the file show it. */
export function feeRow(fee: ContractedFee): Row {
  return {
    kind: fee.kind,
    brand: fee.brand ?? null,
    installments_from: fee.installmentsFrom,
    installments_to: fee.installmentsTo,
    percent_ppm: Number(fee.percentPpm),
    fixed: Number(fee.fixed),
  };
}

function readFee(row: unknown, name: string): Fee {
  if (typeof row !== "object" || row === null) throw new Error(`${name} must be an object.`);
  const given = new Map<string, unknown>(Object.entries(row));
  for (const key of given.keys()) {
    if (!FIELDS.some((field) => field === key)) throw new Error(`${name} has no field ${key}.`);
  }
  const numberOf = (field: string, absent: number): number => {
    const value = given.get(field) ?? absent;
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    throw new Error(`${field} of ${name} must be a whole number.`);
  };
  const kind = given.get("kind");
  if (typeof kind !== "string") throw new Error(`kind of ${name} must be a text.`);
  const brand = given.get("brand") ?? undefined;
  if (brand !== undefined && typeof brand !== "string") throw new Error(`brand of ${name} must be a text.`);
  const installmentsFrom = numberOf("installments_from", 1);
  return {
    kind,
    ...(brand === undefined ? {} : { brand }),
    installmentsFrom,
    installmentsTo: numberOf("installments_to", installmentsFrom),
    percentPpm: BigInt(numberOf("percent_ppm", 0)),
    fixed: BigInt(numberOf("fixed", 0)),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
