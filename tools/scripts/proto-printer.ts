import {
  isFieldSet,
  ScalarType,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type Message,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import {
  FieldDescriptorProto_Label as Label,
  FileOptionsSchema,
  type FieldOptions,
} from "@bufbuild/protobuf/wkt";

/** An option that a printed field may carry: how it is read from the field's options. */
export type ReadOption = (options: FieldOptions) => { desc: DescExtension; value: Message } | undefined;

/**
 * Prints a proto2 file's descriptor as .proto source. Comments are not in a descriptor and are lost;
 * a construct that the printer does not know is an error, never left out.
 */
export function printProto(file: DescFile, readOption: ReadOption): string {
  const lines = [
    `syntax = "proto2";`,
    `package ${file.proto.package};`,
    ...file.proto.dependency.map((name) => `import "${name}";`),
    ...printFileOptions(file),
    ...file.extensions.flatMap((extension) => [
      `extend ${extension.extendee.typeName} {`,
      printField(extension, readOption),
      `}`,
    ]),
    ...file.enums.flatMap((desc) => printEnum(desc)),
    ...file.messages.flatMap((desc) => printMessage(desc, readOption)),
  ];
  return `${lines.join("\n")}\n`;
}

function printFileOptions(file: DescFile): string[] {
  const options = file.proto.options;
  if (!options) return [];
  return FileOptionsSchema.fields
    .filter((field) => isFieldSet(options, field))
    .map((field) => `option ${field.name} = ${printSingular(reflect(FileOptionsSchema, options), field)};`);
}

function printMessage(desc: DescMessage, readOption: ReadOption): string[] {
  const { proto } = desc;
  if (proto.options || proto.extension.length > 0) {
    throw new Error(`${desc.typeName}: the printer does not know message options or nested extensions`);
  }
  return [
    `message ${desc.name} {`,
    ...desc.nestedEnums.flatMap((nested) => printEnum(nested)),
    ...desc.nestedMessages.flatMap((nested) => printMessage(nested, readOption)),
    ...desc.members.flatMap((member) =>
      member.kind === "oneof"
        ? [`oneof ${member.name} {`, ...member.fields.map((field) => printField(field, readOption)), `}`]
        : [printField(member, readOption)],
    ),
    ...proto.reservedRange.map(({ start, end }) => `reserved ${start} to ${end - 1};`),
    ...printReservedNames(proto.reservedName),
    ...proto.extensionRange.map(
      ({ start, end }) => `extensions ${start} to ${end >= 536_870_912 ? "max" : end - 1};`,
    ),
    `}`,
  ];
}

function printEnum(desc: DescEnum): string[] {
  return [
    `enum ${desc.name} {`,
    ...desc.values.map((value) => `${value.name} = ${value.number};`),
    ...desc.proto.reservedRange.map(({ start, end }) => `reserved ${start} to ${end};`),
    ...printReservedNames(desc.proto.reservedName),
    `}`,
  ];
}

function printReservedNames(names: readonly string[]): string[] {
  return names.map((name) => `reserved ${JSON.stringify(name)};`);
}

function printField(field: DescField | DescExtension, readOption: ReadOption): string {
  const inOneof = field.kind === "field" && field.oneof !== undefined;
  const options = field.proto.options ? printFieldOptions(field.proto.options, readOption) : "";
  if (field.proto.defaultValue !== "") throw new Error(`${field.name}: the printer does not know defaults`);
  return `${inOneof ? "" : printLabel(field)}${printType(field)} ${field.name} = ${field.number}${options};`;
}

function printLabel(field: DescField | DescExtension): string {
  if (field.fieldKind === "map") return "";
  if (field.fieldKind === "list") return "repeated ";
  return field.proto.label === Label.REQUIRED ? "required " : "optional ";
}

function printType(field: DescField | DescExtension): string {
  if (field.fieldKind === "map") throw new Error(`${field.name}: the printer does not know maps`);
  if (field.message) return `.${field.message.typeName}`;
  if (field.enum) return `.${field.enum.typeName}`;
  return ScalarType[field.scalar as ScalarType].toLowerCase();
}

function printFieldOptions(options: FieldOptions, readOption: ReadOption): string {
  const printed: string[] = [];
  if (options.deprecated) printed.push("deprecated = true");
  const option = readOption(options);
  if (option) {
    const { desc, value } = option;
    if (!desc.message) throw new Error(`${desc.typeName}: the printer knows message options only`);
    printed.push(`(${desc.typeName}) = ${printText(reflect(desc.message, value))}`);
  }
  return printed.length > 0 ? ` [${printed.join(", ")}]` : "";
}

function printText(message: ReflectMessage): string {
  const printed: string[] = [];
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind !== "list") {
      printed.push(`${field.name}: ${printSingular(message, field)}`);
      continue;
    }
    // One by one, which every parser knows: protobufjs reads no list of messages.
    for (const item of message.get(field)) {
      const text = field.listKind === "message" ? printText(item as ReflectMessage) : JSON.stringify(item);
      printed.push(`${field.name}: ${text}`);
    }
  }
  return `{ ${printed.join(" ")} }`;
}

function printSingular(message: ReflectMessage, field: DescField): string {
  const value: unknown = message.get(field);
  if (field.fieldKind === "message") return printText(value as ReflectMessage);
  if (field.fieldKind === "scalar") return JSON.stringify(value);
  throw new Error(`${field.name}: the printer does not know ${field.fieldKind} options`);
}
