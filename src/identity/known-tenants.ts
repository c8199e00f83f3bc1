import type { Environment } from "../platform/db/database.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import { findTenant } from "./repository.ts";

const TENANTS_MAX = 100_000;

/**
 * The tenants known to exist. A tenant is never deleted, so after it or its key was found, it is not looked up again.
 */
export class KnownTenants {
  readonly #identity: Environment;
  readonly #ids = new Set<string>();

  constructor(identity: Environment) {
    this.#identity = identity;
  }

  /** Remembers an existing tenant. */
  note(id: string): void {
    if (this.#ids.has(id)) return;
    if (this.#ids.size >= TENANTS_MAX) this.#ids.clear();
    this.#ids.add(id);
  }

  /** Returns undefined at once if the tenant is known. Error: tenant_not_found. */
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
