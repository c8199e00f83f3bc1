import type { Environment } from "../platform/database.ts";
import { PaylinkError } from "../platform/errors.ts";
import { isId } from "../platform/ids.ts";
import { findTenant } from "./repository.ts";

const TENANTS_MAX = 100_000;

/** Which tenants exist. A tenant is never deleted: one that was found, or whose key was, is not looked up again. */
export class KnownTenants {
  readonly #identity: Environment;
  readonly #ids = new Set<string>();

  constructor(identity: Environment) {
    this.#identity = identity;
  }

  /** Remembers a tenant that is known to exist. */
  note(id: string): void {
    if (this.#ids.has(id)) return;
    if (this.#ids.size >= TENANTS_MAX) this.#ids.clear();
    this.#ids.add(id);
  }

  /** Undefined at once for a tenant that is known. Error: tenant_not_found. */
  require(id: string): Promise<void> | undefined {
    return this.#ids.has(id) ? undefined : this.#find(id);
  }

  async #find(id: string): Promise<void> {
    if (!isId("ten", id) || !(await findTenant(this.#identity, id))) {
      throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    }
    this.note(id);
  }
}
