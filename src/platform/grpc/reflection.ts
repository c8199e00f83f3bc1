import {
  create,
  fromBinary,
  toBinary,
  type DescFile,
  type DescService,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
} from "#schemas/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection as ServerReflectionAlpha,
  ServerReflectionRequestSchema as AlphaRequestSchema,
  ServerReflectionResponseSchema as AlphaResponseSchema,
} from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { SchemaIndex, serializedFiles } from "./schema-index.ts";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** Serves the services' schemas by gRPC server reflection, v1 and v1alpha, which differ only in their package. */
export function registerReflection(
  router: Pick<ConnectRouter, "service">,
  services: readonly DescService[],
): void {
  const index = new SchemaIndex(services);
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      const sent = new Set<string>();
      for await (const request of requests) yield respond(index, request, sent);
    },
  });
  router.service(ServerReflectionAlpha, {
    async *serverReflectionInfo(requests) {
      const sent = new Set<string>();
      for await (const alpha of requests) {
        const request = fromBinary(ServerReflectionRequestSchema, toBinary(AlphaRequestSchema, alpha));
        const response = create(ServerReflectionResponseSchema, respond(index, request, sent));
        yield fromBinary(AlphaResponseSchema, toBinary(ServerReflectionResponseSchema, response));
      }
    },
  });
}

function respond(index: SchemaIndex, originalRequest: ServerReflectionRequest, sent: Set<string>) {
  const { host: validHost, messageRequest } = originalRequest;
  return { validHost, originalRequest, messageResponse: answerTo(index, messageRequest, sent) };
}

function answerTo(
  index: SchemaIndex,
  { case: kind, value }: ServerReflectionRequest["messageRequest"],
  sent: Set<string>,
): Answer {
  switch (kind) {
    case "fileByFilename":
      return withFile(index.fileNamed(value), sent);
    case "fileContainingSymbol":
      return withFile(index.fileDeclaring(value), sent);
    case "fileContainingExtension": {
      const extensions = index.extensionsOf(value.containingType) ?? [];
      return withFile(extensions.find(({ number }) => number === value.extensionNumber)?.file, sent);
    }
    case "allExtensionNumbersOfType": {
      const extensions = index.extensionsOf(value);
      if (!extensions) return problem(Code.NotFound, "There is no such type.");
      const numbers = { baseTypeName: value, extensionNumber: extensions.map(({ number }) => number) };
      return { case: "allExtensionNumbersResponse", value: numbers };
    }
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    default:
      return problem(Code.InvalidArgument, "The request asks for nothing.");
  }
}

function withFile(file: DescFile | undefined, sent: Set<string>): Answer {
  if (!file) return problem(Code.NotFound, "There is no such file, symbol or extension.");
  const serialized = serializedFiles(file, sent);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: serialized } };
}

function problem(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
