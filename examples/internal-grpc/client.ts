import { join } from "node:path";
import {
  credentials,
  loadPackageDefinition,
  type CallOptions,
  type Client,
  type Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from "@grpc/proto-loader";

/** An RPC with one request and one answer. */
type Unary = (
  request: object,
  metadata: Metadata,
  options: CallOptions,
  callback: (error: ServiceError | null, answer: unknown) => void,
) => void;
export type LedgerMethod = "listPayments" | "getPayment" | "getTrialBalance";
export type LedgerClient = Client & Readonly<Record<LedgerMethod, Unary>>;

const root = join(import.meta.dirname, "..", "..");

/** The service as its .proto files describe it. google.rpc.Status, in which errors travel, is among them. */
const schemas: PackageDefinition = loadSync(
  ["paylink/ledger/v1/ledger.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"],
  {
    includeDirs: [join(root, "proto")],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  },
);

/** A client of the ledger at an address such as http://localhost:50051. Nothing is sent before its first call. */
export function ledgerClient(url: string): LedgerClient {
  const service = loadPackageDefinition(schemas) as unknown as {
    paylink: { ledger: { v1: { LedgerService: ServiceClientConstructor } } };
  };
  const { LedgerService } = service.paylink.ledger.v1;
  const { protocol, host, port } = new URL(url);
  const isSecure = protocol === "https:";
  // A URL leaves its scheme's own port out.
  const address = port === "" ? `${host}:${isSecure ? 443 : 80}` : host;
  const channel = isSecure ? credentials.createSsl() : credentials.createInsecure();
  return new LedgerService(address, channel) as unknown as LedgerClient;
}

/** Reads a message of this name, for example "google.rpc.ErrorInfo". */
export function decode(name: string, bytes: Buffer): object {
  return (schemas[name] as MessageTypeDefinition<object, object>).deserialize(bytes);
}
