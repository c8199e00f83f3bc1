import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { ServerReflection, type ServerReflectionRequest } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as AlphaRequest,
} from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { Occupancy } from "../../../contract/occupancy.ts";
import { callerKind, tokenHolder } from "./call-holder.ts";
import { SchemaIndex, serializedFiles } from "./schema-index.ts";

type AnyRequest = ServerReflectionRequest | AlphaRequest;
type Answer =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

// One is enough for a tool; a token may be a whole team's.
const STREAMS_AT_ONCE = { all: 64, ofOne: 8 };

/**
 * Serves the services' schemas by gRPC server reflection, v1 and v1alpha, which differ only in their package. Error:
 * resource_exhausted if a token has too many streams at once.
 */
export function registerReflection(
  router: Pick<ConnectRouter, "service">,
  services: readonly DescService[],
): void {
  const index = new SchemaIndex(services);
  const streams = new Occupancy(STREAMS_AT_ONCE);
  async function* responses<R extends AnyRequest>(
    requests: AsyncIterable<R>,
    { values, signal }: HandlerContext,
  ) {
    // Gateways and the core's own token are one, and so are callers without a token.
    const holder = { owner: tokenHolder(values) ?? callerKind(values) };
    signal.throwIfAborted();
    if (streams.exceeded(holder, 1)) {
      throw new ConnectError("Too many reflection streams are open.", Code.ResourceExhausted);
    }
    streams.add(holder, 1);
    // It comes at the end of every stream, and also of one that was cut off while its answer waited.
    signal.addEventListener("abort", () => streams.add(holder, -1), { once: true });
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
