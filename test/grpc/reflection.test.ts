import { createFileRegistry, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "#schemas/grpc/reflection/v1alpha/reflection_pb.js";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));

/** The answers to questions asked in one stream. */
async function ask(
  protocol: typeof ServerReflection | typeof ServerReflectionAlpha,
  ...questions: Question[]
): Promise<ServerReflectionResponse["messageResponse"][]> {
  const transport = createGrpcTransport({ baseUrl: `http://${ports.http2}` });
  // The two differ in their package alone.
  const client = createClient(protocol as typeof ServerReflection, transport);
  const requests = (async function* () {
    for (const messageRequest of questions) yield { host: "here", messageRequest };
  })();
  const answers: ServerReflectionResponse["messageResponse"][] = [];
  for await (const { messageResponse, validHost } of client.serverReflectionInfo(
    requests,
    service.internal,
  )) {
    expect(validHost).toBe("here");
    answers.push(messageResponse);
  }
  return answers;
}

function filesIn(answer: ServerReflectionResponse["messageResponse"] | undefined) {
  if (answer?.case !== "fileDescriptorResponse") throw new Error(`not files: ${answer?.case}`);
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionAlpha],
] as const)("grpc.reflection.%s", (_name, protocol) => {
  test("the files of a service are enough to call it, and are sent once in a stream", async () => {
    const value = LinksService.typeName;
    const [first, again] = await ask(
      protocol,
      { case: "fileContainingSymbol", value },
      { case: "fileByFilename", value: "paylink/links/v1/links.proto" },
    );
    const file = filesIn(first);
    const registry = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file } as never);
    expect(registry.getService(value)?.methods.map(({ name }) => name)).toEqual(
      LinksService.methods.map(({ name }) => name),
    );
    expect(filesIn(again)).toEqual([]);
  });

  test.each([
    ["a method", "paylink.links.v1.LinksService.AcceptQuote", "paylink/links/v1/links.proto"],
    ["a field", "paylink.links.v1.PaymentLink.amount", "paylink/links/v1/links.proto"],
    ["an enum", "paylink.pricing.v1.PaymentMethod", "paylink/pricing/v1/pricing.proto"],
    ["an extension", "paylink.options.v1.method", "paylink/options/v1/options.proto"],
    ["what travels in errors", "google.rpc.BadRequest", "google/rpc/error_details.proto"],
  ])("%s leads to its file", async (_what, value, name) => {
    const [answer] = await ask(protocol, { case: "fileContainingSymbol", value });
    expect(filesIn(answer).at(-1)?.name).toBe(name);
  });

  test("extensions are found by number, and numbered", async () => {
    const containingType = "google.protobuf.MethodOptions";
    const [answer, numbers] = await ask(
      protocol,
      { case: "fileContainingExtension", value: { containingType, extensionNumber: 50_001 } },
      { case: "allExtensionNumbersOfType", value: containingType },
    );
    expect(filesIn(answer).at(-1)?.name).toBe("paylink/options/v1/options.proto");
    expect(numbers).toMatchObject({
      case: "allExtensionNumbersResponse",
      value: { baseTypeName: containingType, extensionNumber: expect.arrayContaining([50_001]) },
    });
  });

  test("what there is not is answered NOT_FOUND, and the stream goes on", async () => {
    const answers = await ask(
      protocol,
      { case: "fileContainingSymbol", value: "paylink.Nothing" },
      { case: "fileContainingSymbol", value: "" },
      { case: "fileByFilename", value: "nothing.proto" },
      { case: "fileContainingExtension", value: { containingType: "paylink.Nothing", extensionNumber: 1 } },
      { case: "allExtensionNumbersOfType", value: "paylink.Nothing" },
      { case: "listServices", value: "" },
    );
    for (const answer of answers.slice(0, -1)) {
      expect(answer).toMatchObject({ case: "errorResponse", value: { errorCode: 5 } });
    }
    expect(answers.at(-1)?.case).toBe("listServicesResponse");
  });
});
