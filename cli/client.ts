import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { DescService } from "@bufbuild/protobuf";
import { readConfig } from "../src/platform/config.ts";
import { findCoreToken } from "./core-token.ts";

/** A client of the running core, and the headers that let it in. */
export interface CoreClient<Service extends DescService> {
  readonly client: Client<Service>;
  readonly options: { headers: Record<string, string> };
}

/** Reaches the core over gRPC: CORE_URL, else CORE_PORT on this machine. */
export async function coreClient<Service extends DescService>(
  service: Service,
): Promise<CoreClient<Service>> {
  const config = readConfig(process.env);
  const baseUrl = process.env["CORE_URL"] || `http://127.0.0.1:${config.corePort}`;
  const token = await findCoreToken(config);
  return {
    client: createClient(service, createGrpcTransport({ baseUrl })),
    options: { headers: { authorization: `Bearer ${token}` } },
  };
}
