import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Client,
  credentials,
  Metadata,
  status,
  type CallOptions,
  type ChannelCredentials,
  type ClientOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ServiceError,
} from "@grpc/grpc-js";
import { BadRequestSchema, ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { StatusSchema } from "#schemas/google/rpc/status_pb.js";

/** A client of grpc-js, as an internal team would have one, made from the services' descriptors. */
export class GrpcClient {
  readonly #client: Client;

  constructor(
    address: string,
    tls: ChannelCredentials = credentials.createInsecure(),
    options: ClientOptions = {},
  ) {
    this.#client = new Client(address, tls, options);
  }

  /** Calls an RPC; `onCall` gets the call, to cancel it. Rejects with grpc-js' own ServiceError. */
  async unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    input: MessageInitShape<I>,
    metadata: Readonly<Record<string, string>> = {},
    options: CallOptions = {},
    onCall: (call: ClientUnaryCall) => void = () => undefined,
  ): Promise<MessageShape<O>> {
    return await new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        pathOf(method),
        bytesOf(method),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        create(method.input, input),
        metadataOf(metadata),
        options,
        (error, message) => (error ? reject(error) : resolve(message as MessageShape<O>)),
      );
      onCall(call);
    });
  }

  serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    input: MessageInitShape<I>,
  ): ClientReadableStream<MessageShape<O>> {
    return this.#client.makeServerStreamRequest(
      pathOf(method),
      bytesOf(method),
      (bytes: Buffer) => fromBinary(method.output, bytes),
      create(method.input, input),
    );
  }

  close(): void {
    this.#client.close();
  }
}

/** Every unary RPC of the services. */
export function unaryMethods(services: readonly DescService[]): DescMethodUnary[] {
  return services.flatMap(({ methods }) =>
    methods.filter((method): method is DescMethodUnary => method.methodKind === "unary"),
  );
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function bytesOf<I extends DescMessage>(method: { readonly input: I }) {
  return (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message));
}

function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

/** What a call came to that failed: the status by name, the contract's code and the description of each field. */
export async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => {
      throw new Error("the call did not fail");
    },
    (reason: unknown) => reason as ServiceError,
  );
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const details = Buffer.isBuffer(bytes) ? fromBinary(StatusSchema, bytes).details : [];
  const info = details.find(({ typeUrl }) => typeUrl.endsWith("/google.rpc.ErrorInfo"));
  const badRequest = details.find(({ typeUrl }) => typeUrl.endsWith("/google.rpc.BadRequest"));
  return {
    status: status[error.code],
    message: error.details,
    reason: info && fromBinary(ErrorInfoSchema, info.value).reason,
    fields: badRequest
      ? fromBinary(BadRequestSchema, badRequest.value).fieldViolations.map(({ field }) => field)
      : [],
    types: details.map(({ typeUrl }) => typeUrl.replace(/^.*\//, "")),
    metadata: error.metadata,
  };
}
