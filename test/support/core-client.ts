import { openCorePorts, type CorePorts } from "./core-server.ts";
import { forFile } from "./for-file.ts";
import { GrpcClient } from "./grpc-client.ts";
import { startService, type TestService, type TestTenant } from "./service.ts";

/** A service with its core's ports open, a tenant, and a gRPC client that is connected to them. */
export class CoreClient {
  readonly service: TestService;
  readonly ports: CorePorts;
  readonly tenant: TestTenant;
  readonly grpc: GrpcClient;

  private constructor(service: TestService, ports: CorePorts, tenant: TestTenant) {
    this.service = service;
    this.ports = ports;
    this.tenant = tenant;
    this.grpc = new GrpcClient(ports.http2);
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<CoreClient> {
    return await forFile(CoreClient.#start());
  }

  static async #start(): Promise<CoreClient> {
    const service = await startService();
    return new CoreClient(service, await openCorePorts(service.core), await service.createTenant());
  }

  /** Returns the headers of an internal call for the tenant's test mode. */
  caller(idempotencyKey?: string): Record<string, string> {
    return {
      ...this.service.internal.headers,
      "paylink-tenant": this.tenant.id,
      "paylink-mode": "test",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
  }

  async close(): Promise<void> {
    this.grpc.close();
    await this.ports.close();
    await this.service.close();
  }
}
