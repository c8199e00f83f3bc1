import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { NamedToken } from "../platform/rpc/core-access.ts";
import { apiKeyRpcs } from "./api-keys.ts";
import { coreTokenRpcs, findNamedToken } from "./core-tokens.ts";
import { dataKeyRpcs } from "./data-key-rotation.ts";
import type { IdentityDeps } from "./deps.ts";
import type { LegalEntityRow } from "./entities.ts";
import { KeyUses } from "./key-uses.ts";
import { KnownTenants } from "./known-tenants.ts";
import { legalEntityRpcs } from "./legal-entities.ts";
import { findOwner, listPayerRetentions } from "./repository.ts";
import { findSettings, type TenantSettings } from "./tenant-settings.ts";
import { tenantRpcs } from "./tenants.ts";

/** What the room needs. */
export interface IdentityRoomDeps extends Omit<IdentityDeps, "tenants"> {
  /** Receives errors of background work, which has no caller. */
  readonly onFault: (error: unknown) => void;
}

/** The identity room: its RPCs, and its functions for other rooms. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #uses: KeyUses;
  readonly tenants: KnownTenants;
  readonly rpcs: ServiceImpl<typeof IdentityService>;

  constructor(deps: IdentityRoomDeps) {
    this.tenants = new KnownTenants(deps.identity);
    this.#uses = new KeyUses(deps);
    this.#deps = { ...deps, tenants: this.tenants };
    this.rpcs = {
      ...tenantRpcs(this.#deps),
      ...legalEntityRpcs(this.#deps),
      ...coreTokenRpcs(this.#deps),
      ...dataKeyRpcs(this.#deps),
      ...apiKeyRpcs({ ...this.#deps, uses: this.#uses }),
    };
  }

  /** Returns a tenant's settings. Error: tenant_not_found. */
  async settingsOf(tenantId: string): Promise<TenantSettings> {
    const { cache, identity } = this.#deps;
    const settings = await cache.get(`tenant:${tenantId}`, () => findSettings(identity, tenantId));
    if (!settings) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    return settings;
  }

  /** Returns the payee: the named entity, else the single active one. Error: invalid_request on `param`. */
  payee(
    { legalEntities }: TenantSettings,
    legalEntityId?: string,
    param: "legal_entity_id" | "payment_intent_id" = "legal_entity_id",
  ): LegalEntityRow {
    const candidates =
      legalEntityId === undefined ? legalEntities : legalEntities.filter(({ id }) => id === legalEntityId);
    const [only] = candidates;
    if (only && candidates.length === 1) return only;
    const message =
      legalEntityId === undefined
        ? "The tenant has no single active legal entity: name one."
        : param === "legal_entity_id"
          ? "There is no such active legal entity of the tenant: name another, or leave it out."
          : "payment_intent_id: the legal entity of the intent is not active any more; make a new intent.";
    const facts =
      legalEntityId === undefined && candidates.length > 1 ? { refusal: "several_legal_entities" } : {};
    throw new PaylinkError("invalid_request", message, param, { facts });
  }

  /** Returns the tenants that keep payers' details for some days only. */
  async payerRetentions(): Promise<readonly { readonly tenantId: string; readonly days: number }[]> {
    return await listPayerRetentions(this.#deps.identity);
  }

  /** Returns the owner of an id that comes without its tenant, or null if it is unknown. */
  async ownerOf(id: string): Promise<{ tenantId: string; mode: Mode } | null> {
    return await findOwner(this.#deps.identity, id);
  }

  /** Returns the core token with this hex SHA-256, or undefined if it is unknown or revoked. */
  async namedToken(tokenHash: string): Promise<NamedToken | undefined> {
    return await findNamedToken(this.#deps, tokenHash);
  }

  /** Writes the uses of keys that are not written yet. */
  async close(): Promise<void> {
    await this.#uses.flush();
  }
}
