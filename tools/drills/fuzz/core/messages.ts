import {
  create,
  getOption,
  hasOption,
  ScalarType,
  toBinary,
  toJsonString,
  type DescField,
  type DescMessage,
  type DescOneof,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as FeaturePresence } from "@bufbuild/protobuf/wkt";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { freeObjects, texts } from "../texts.ts";

const DEPTH_MAX = 3;
const ITEMS_MAX = 3;
const ENUM_MAX = 6;
const WORDS = [
  "BRL",
  "USD",
  "default",
  "pix",
  "2026-01-31",
  "D+1",
  "BR",
  "owner@example.test",
  "http://127.0.0.1:3999/hook",
  "pl_01k5e8zj7qf4x9r2m3n6p8s0tv",
  "qt_01k5e8zj7qf4x9r2m3n6p8s0tv",
  "pay_01k5e8zj7qf4x9r2m3n6p8s0tv",
  "x".repeat(300),
];

/** Any message of a type, as its descriptor has it: every field, set or not, to values of its kind. */
export function messagesOf(desc: DescMessage, ids: readonly string[]): fc.Arbitrary<Message> {
  return fieldsOf(desc, ids, 0)
    .map((init) => create(desc, init as MessageInitShape<DescMessage>))
    .filter((message) => isWritable(desc, message));
}

function fieldsOf(desc: DescMessage, ids: readonly string[], depth: number): fc.Arbitrary<object> {
  if (desc.typeName === "google.protobuf.Struct") return freeObjects();
  const members = desc.members.filter(
    (member) => member.kind === "oneof" || depth < DEPTH_MAX || !member.message,
  );
  const drawn = Object.fromEntries(
    members.map((member) => [
      member.localName,
      member.kind === "oneof" ? caseOf(member, ids, depth) : valueOf(member, ids, depth),
    ]),
  );
  // A rule mostly wants its field.
  const isRuled = (member: (typeof members)[number]): boolean =>
    member.kind === "field" && hasOption(member, fieldRules) && member.presence === FeaturePresence.IMPLICIT;
  const requiredKeys = members.filter(isRuled).map(({ localName }) => localName);
  return fc.oneof(
    { weight: 3, arbitrary: fc.record(drawn, { requiredKeys, noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.record(drawn, { requiredKeys: [], noNullPrototype: true }) },
  );
}

function caseOf({ fields }: DescOneof, ids: readonly string[], depth: number): fc.Arbitrary<object> {
  return fc.oneof(
    ...fields.map((field) => valueOf(field, ids, depth).map((value) => ({ case: field.localName, value }))),
  );
}

function valueOf(field: DescField, ids: readonly string[], depth: number): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case "scalar": {
      const any = scalarOf(field.scalar, ids);
      const good = goodOf(field);
      return good ? fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: any }) : any;
    }
    case "enum":
      return fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...field.enum.values.map(({ number }) => number)) },
        { weight: 1, arbitrary: fc.nat({ max: ENUM_MAX }) },
      );
    case "message":
      return fieldsOf(field.message, ids, depth + 1);
    case "list": {
      const item =
        field.listKind === "scalar"
          ? scalarOf(field.scalar, ids)
          : field.listKind === "enum"
            ? fc.nat({ max: ENUM_MAX })
            : fieldsOf(field.message, ids, depth + 1);
      return fc.array(item, { maxLength: ITEMS_MAX });
    }
    case "map":
      return fc.constant({});
  }
}

/** Values that the rules of the .proto allow, where they say what is allowed. */
function goodOf(field: DescField): fc.Arbitrary<unknown> | undefined {
  const { type } = getOption(field, fieldRules);
  if (type.case === "string" && type.value.in.length > 0) return fc.constantFrom(...type.value.in);
  if (type.case !== "int64" && type.case !== "int32") return undefined;
  const { greaterThan, lessThan } = type.value;
  if (greaterThan.case !== "gte" || lessThan.case !== "lte") return undefined;
  const [min, max] = [BigInt(greaterThan.value), BigInt(lessThan.value)];
  const isLong = type.case === "int64";
  return fc.bigInt({ min, max }).map((value) => (isLong ? value : Number(value)));
}

function scalarOf(scalar: ScalarType, ids: readonly string[]): fc.Arbitrary<unknown> {
  switch (scalar) {
    case ScalarType.STRING:
      return fc.oneof(fc.constantFrom(...ids), fc.constantFrom(...WORDS), texts(40));
    case ScalarType.BYTES:
      return fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 32, maxLength: 32 }));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.oneof(
        fc.bigInt({ min: 0n, max: 100_000n }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      );
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat();
    default:
      return fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer());
  }
}

/** Some values, such as a year past 9999, have no JSON, and a client could not send them so. */
function isWritable(desc: DescMessage, message: Message): boolean {
  try {
    toBinary(desc, message);
    toJsonString(desc, message);
    return true;
  } catch {
    return false;
  }
}
