import { getOption, type DescField } from "@bufbuild/protobuf";
import { field as fieldOptions } from "../gen/paylink/options/v1/options_pb.ts";

/** Returns the default number that a field's options name. Throws Error if they name none. */
export function defaultNumber(field: DescField): number {
  const { default: text } = getOption(field, fieldOptions);
  const number = text === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new Error(`${field.toString()} has no default number`);
  return number;
}
