import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { DescService } from "@bufbuild/protobuf";
import { HEADERS } from "../src/platform/caller.ts";
import { readConfig } from "../src/platform/config.ts";
import { findCoreToken } from "./core-token.ts";
import type { TenantChoice } from "./options.ts";
import { readClientTls } from "./tls.ts";

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
  const scheme = config.coreTls ? "https" : "http";
  const baseUrl = process.env["CORE_URL"] || `${scheme}://127.0.0.1:${config.corePort}`;
  const token = await findCoreToken(config);
  return {
    client: createClient(
      service,
      createGrpcTransport({ baseUrl, nodeOptions: readClientTls(config.coreClientTls) }),
    ),
    options: { headers: { authorization: `Bearer ${token}` } },
  };
}

/** As `coreClient`, acting for a tenant in one mode. */
export async function tenantClient<Service extends DescService>(
  service: Service,
  { tenant, mode }: TenantChoice,
): Promise<CoreClient<Service>> {
  const { client, options } = await coreClient(service);
  const headers = { ...options.headers, [HEADERS.tenant]: tenant, [HEADERS.mode]: mode };
  return { client, options: { headers } };
}
