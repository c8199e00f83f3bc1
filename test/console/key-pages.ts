import { createClient } from "@connectrpc/connect";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { type TestService, type TestTenant } from "../support/service.ts";

export const PATH = "/console/test/keys";
/** The plaintext of every key on a page. */
export const KEY = /svc_(?:test|live)_[\w-]{43}/g;

/** A user who is signed in at the pages of a new tenant's keys. */
export class KeyPages {
  readonly tenant: TestTenant;
  readonly user: TestUser;
  readonly client: ConsoleClient;
  readonly #service: TestService;

  private constructor(service: TestService, tenant: TestTenant, user: TestUser) {
    this.#service = service;
    this.tenant = tenant;
    this.user = user;
    this.client = new ConsoleClient(service, user);
  }

  static async open(service: TestService, role: "developer" | "owner" = "developer"): Promise<KeyPages> {
    const tenant = await service.createTenant();
    return new KeyPages(service, tenant, await createUser(service, tenant.id, role));
  }

  async list() {
    const identity = createClient(IdentityService, this.#service.core.transport);
    return (await identity.listApiKeys({ tenantId: this.tenant.id }, this.#service.internal)).apiKeys;
  }

  /** Sends the form of a new key. */
  async create(form: Record<string, string | readonly string[]> = {}) {
    return await this.client.post(`${PATH}/new`, `${PATH}/new`, {
      name: "Shop",
      scopes: ["quotes:write", "payments:read"],
      password: this.user.password,
      ...form,
    });
  }
}
