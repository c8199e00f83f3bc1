import { status, type ServiceError } from "@grpc/grpc-js";
import { decode } from "./client.ts";

interface Status {
  readonly details: readonly { readonly type_url: string; readonly value: Buffer }[];
}

/** google.rpc.ErrorInfo: the reason is the code of the contract, for example payment_not_found. */
export interface ErrorInfo {
  readonly reason: string;
  readonly domain: string;
}

/** The reason inside a refusal; undefined when the call never reached a service, or ran out of time. */
export function errorInfo(error: ServiceError): ErrorInfo | undefined {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) return undefined;
  const { details } = decode("google.rpc.Status", bytes) as Status;
  const info = details.find(({ type_url: type }) => type.endsWith("/google.rpc.ErrorInfo"));
  return info && (decode("google.rpc.ErrorInfo", info.value) as ErrorInfo);
}

/** One readable line: gRPC's own code, the text, and the reason. */
export function failureText(error: ServiceError): string {
  const info = errorInfo(error);
  return `${status[error.code]}: ${error.details}${info ? ` (${info.reason})` : ""}`;
}
