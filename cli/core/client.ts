import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { randomUUID } from "node:crypto";
import { HEADERS } from "../../contract/headers.ts";
import { readConfig } from "../../src/platform/config/config.ts";
import { findCoreToken } from "../operate/keys/core-token.ts";
import type { TenantChoice } from "../output/options.ts";
import { readClientTls } from "../serve/tls.ts";

interface CallHeaders {
  readonly headers: Record<string, string>;
}

/** A client of the running core, and the headers that authenticate it. */
export interface CoreClient<Service extends DescService> {
  readonly client: Client<Service>;
  readonly options: CallHeaders;
}

let hasWarned = false;

// A command may have several clients.
function warnOnce(warnings: readonly string[]): void {
  if (!hasWarned) for (const text of warnings) process.stderr.write(`paylink: ${text}\n`);
  hasWarned = true;
}

// A connection that fell silent, as to a machine that slept, is given up by the first call after it.
const PING = { pingIntervalMs: 5000, pingTimeoutMs: 5000 };

/** Returns a gRPC client of the core. What speaks gRPC is loaded here, so that help and completion go without. */
export async function coreClient<Service extends DescService>(
  service: Service,
): Promise<CoreClient<Service>> {
  const config = readConfig(process.env);
  const baseUrl = config.coreUrl;
  warnOnce(config.warnings);
  const nodeOptions = readClientTls(config.coreClientTls);
  const token = await findCoreToken(config);
  const { createClient } = await import("@connectrpc/connect");
  const { createGrpcTransport } = await import("@connectrpc/connect-node");
  const { showWaiting } = await import("../output/waiting.ts");
  const transport = createGrpcTransport({ baseUrl, nodeOptions, interceptors: [showWaiting], ...PING });
  return {
    client: createClient(service, transport),
    // For the audit log.
    options: { headers: { authorization: `Bearer ${token}`, [HEADERS.actor]: "command_line" } },
  };
}

/** Returns a client like `coreClient`, for one tenant and mode. */
export async function tenantClient<Service extends DescService>(
  service: Service,
  { tenant, mode }: TenantChoice,
): Promise<CoreClient<Service>> {
  const { client, options } = await coreClient(service);
  const headers = { ...options.headers, [HEADERS.tenant]: tenant, [HEADERS.mode]: mode };
  return { client, options: { headers } };
}

/** Returns the call options with a new idempotency key: the command's own try, and no other, is made once. */
export function withNewKey({ headers }: CallHeaders): CallHeaders {
  return { headers: { ...headers, [HEADERS.idempotencyKey]: randomUUID() } };
}
