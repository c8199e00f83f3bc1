import { Api } from "./api.ts";
import { forFile } from "./for-file.ts";
import { startService, type ServiceSettings, type TestService, type TestTenant } from "./service.ts";

/** A service over one transport between gateway and core, with a tenant that calls it. */
export interface OverTransport {
  readonly kind: "direct" | "network";
  readonly service: TestService;
  readonly tenant: TestTenant;
  readonly api: Api;
}

/** Starts a service over each transport for a file's tests, and closes them after those. */
export async function overEachTransport(
  options: Parameters<TestService["createTenant"]>[0] = {},
  settings: ServiceSettings = {},
): Promise<OverTransport[]> {
  const kinds = ["direct", "network"] as const;
  return await Promise.all(
    kinds.map(async (kind) => {
      const service = await forFile(startService(kind, settings));
      const tenant = await service.createTenant(options);
      return { kind, service, tenant, api: new Api(service, tenant.testKey) };
    }),
  );
}
