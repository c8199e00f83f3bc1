import {
  createFileRegistry,
  createRegistry,
  fromJson,
  type DescMessage,
  type DescService,
  type JsonObject,
} from "@bufbuild/protobuf";
import {
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { http } from "#schemas/google/api/annotations_pb.js";
import { field as fieldRules, method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";

const OPTIONS = createRegistry(http, methodRules, fieldRules);
const IMPORTS = [file_google_protobuf_struct, file_google_protobuf_timestamp];
const WORDS = {
  name: "WordsEntry",
  options: { mapEntry: true },
  field: [
    { name: "key", number: 1, label: "LABEL_OPTIONAL", type: "TYPE_STRING" },
    { name: "value", number: 2, label: "LABEL_OPTIONAL", type: "TYPE_STRING" },
  ],
};
const ASKED_BY_NAME = {
  ...WORDS,
  name: "AskedEntry",
  field: [
    ...WORDS.field.slice(0, 1),
    { name: "value", number: 2, label: "LABEL_OPTIONAL", type: "TYPE_MESSAGE", typeName: ".planted.Asked" },
  ],
};

export interface Planted {
  /** The fields of the request and of the response. */
  readonly asked?: readonly JsonObject[];
  readonly answered?: readonly JsonObject[];
  readonly options?: JsonObject;
  readonly isStream?: boolean;
}

/** A contract of two RPCs: `Do`, as it is given, and `Watch`, which has no path. */
export function contract({ asked = [], answered = [], options = {}, isStream = false }: Planted): {
  service: DescService;
  asked: DescMessage;
  answered: DescMessage;
} {
  const message = (name: string, fields: readonly JsonObject[]): JsonObject => ({
    name,
    nestedType: [WORDS, ASKED_BY_NAME],
    field: fields.map((field, index) => ({ number: index + 1, label: "LABEL_OPTIONAL", ...field })),
    oneofDecl: fields.some((field) => "oneofIndex" in field) ? [{ name: "choice" }] : [],
  });
  const types = { inputType: ".planted.Asked", outputType: ".planted.Answered" };
  const proto = fromJson(
    FileDescriptorProtoSchema,
    {
      name: "planted.proto",
      package: "planted",
      syntax: "proto3",
      dependency: IMPORTS.map(({ proto: { name } }) => name),
      messageType: [
        message("Asked", asked),
        message("Answered", answered),
        message("Pair", [TEXTS, { ...TEXTS, name: "others" }]),
        message("Single", [{ ...TEXTS, label: "LABEL_OPTIONAL" }]),
        message("List", [TEXTS]),
        message("Empty", []),
      ],
      enumType: [
        {
          name: "Size",
          value: [
            { name: "SIZE_UNSPECIFIED", number: 0 },
            { name: "SIZE_LARGE", number: 1 },
          ],
        },
      ],
      service: [
        {
          name: "Planted",
          method: [
            { name: "Do", ...types, options, serverStreaming: isStream },
            { name: "Watch", ...types, serverStreaming: true },
          ],
        },
      ],
    },
    { registry: OPTIONS },
  );
  const registry = createFileRegistry(proto, (path) => IMPORTS.find((file) => file.proto.name === path));
  const service = registry.getService("planted.Planted");
  const [input, output] = [registry.getMessage("planted.Asked"), registry.getMessage("planted.Answered")];
  if (!service || !input || !output) throw new Error("the contract is not whole");
  return { service, asked: input, answered: output };
}

export const TEXTS = { name: "texts", label: "LABEL_REPEATED", type: "TYPE_STRING" };
