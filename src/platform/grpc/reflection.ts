import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { ServerReflection, type ServerReflectionRequest } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as AlphaRequest,
} from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { SchemaIndex, serializedFiles } from "./schema-index.ts";

type AnyRequest = ServerReflectionRequest | AlphaRequest;
type Answer =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

/** Serves the services' schemas by gRPC server reflection, v1 and v1alpha, which differ only in their package. */
export function registerReflection(
  router: Pick<ConnectRouter, "service">,
  services: readonly DescService[],
): void {
  const index = new SchemaIndex(services);
  async function* responses<R extends AnyRequest>(requests: AsyncIterable<R>) {
    const sent = new Set<string>();
    for await (const request of requests) {
      const messageResponse = answerTo(index, request.messageRequest, sent);
      yield { validHost: request.host, originalRequest: request, messageResponse };
    }
  }
  router.service(ServerReflection, { serverReflectionInfo: responses });
  router.service(ServerReflectionAlpha, { serverReflectionInfo: responses });
}

function answerTo(
  index: SchemaIndex,
  { case: kind, value }: AnyRequest["messageRequest"],
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
