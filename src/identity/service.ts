import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { AuditRow } from "../platform/audit-entry.ts";
import { auditOf } from "../platform/audit-trail.ts";
import type { Mode } from "../platform/caller.ts";
import { insert, notify, update, type Change } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import type { NamedToken } from "../platform/named-token.ts";
import { administrationRpcs } from "./administration.ts";
import { apiKeyRpcs } from "./api-keys.ts";
import { coreTokenRpcs, findNamedToken } from "./core-tokens.ts";
import type { IdentityDeps } from "./deps.ts";
import { KeyUses } from "./key-uses.ts";
import { KnownTenants } from "./known-tenants.ts";
import { LegalEntity, Tenant, type LegalEntityRow } from "./entities.ts";
import { toTenant } from "./mapping.ts";
import { findLegalEntity, findOwner, findSettings, listTenants, type TenantSettings } from "./repository.ts";

type TenantRpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createTenant" | "listTenants" | "createLegalEntity" | "deactivateLegalEntity"
>;

/** What the room stands on. */
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
      ...this.#tenantRpcs(),
      ...coreTokenRpcs(this.#deps),
      ...apiKeyRpcs({ ...this.#deps, uses: this.#uses }),
      ...administrationRpcs(this.#deps),
    };
  }

  /** Returns a tenant's settings. Error: tenant_not_found. */
  async settingsOf(tenantId: string): Promise<TenantSettings> {
    const { cache, identity } = this.#deps;
    const settings = await cache.get(`tenant:${tenantId}`, () => findSettings(identity, tenantId));
    if (!settings) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    return settings;
  }

  /** Returns the payee: the named entity, else the single active one. Error: invalid_request on legal_entity_id. */
  payee({ legalEntities }: TenantSettings, legalEntityId?: string): LegalEntityRow {
    const candidates =
      legalEntityId === undefined ? legalEntities : legalEntities.filter(({ id }) => id === legalEntityId);
    const [only] = candidates;
    if (only && candidates.length === 1) return only;
    const message =
      legalEntityId === undefined
        ? "The tenant has no single active legal entity: name one."
        : "There is no such active legal entity.";
    throw invalidRequest("legal_entity_id", message);
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

  #tenantRpcs(): TenantRpcs {
    return {
      createTenant: async (request, context) => {
        const createdAt = wholeSecond(this.#deps.clock);
        const [id, legalEntityId] = [newId("ten"), newId("le")];
        const tenant = insert(Tenant, {
          id,
          name: request.name,
          paymentMethods: request.paymentMethods.length > 0 ? request.paymentMethods : ["pix", "card"],
          maxInstallments: request.maxInstallments ?? 21,
          collectFields: request.collectFields,
          settlementDays: request.settlementDays ?? 1,
          refundFee: "merchant",
          createdAt,
          membershipVersion: 0,
        });
        const entity = this.#legalEntity(id, legalEntityId, request.name, request.payoutCurrency);
        await this.#commit([tenant, entity], auditOf(context)?.entry({ tenantId: id, objectId: id }));
        return { id, legalEntityId };
      },
      listTenants: async () => ({ tenants: (await listTenants(this.#deps.identity)).map(toTenant) }),
      createLegalEntity: async ({ tenantId, name, payoutCurrency }, context) => {
        await this.settingsOf(tenantId);
        const id = newId("le");
        const entity = this.#legalEntity(tenantId, id, name, payoutCurrency);
        await this.#commit([entity], auditOf(context)?.entry({ objectId: id }), `tenant:${tenantId}`);
        return { id };
      },
      deactivateLegalEntity: async ({ tenantId, id }, context) => {
        await this.tenants.require(tenantId);
        const entity = await findLegalEntity(this.#deps.identity, tenantId, id);
        if (!entity) throw new PaylinkError("legal_entity_not_found", "There is no such legal entity.");
        if (!entity.isActive) return {};
        const change = update(LegalEntity, { tenantId, id }, { isActive: false });
        await this.#commit([change], auditOf(context)?.entry({ objectId: id }), `tenant:${tenantId}`);
        return {};
      },
    };
  }

  #legalEntity(tenantId: string, id: string, name: string, payoutCurrency: string): Change {
    return insert(LegalEntity, {
      tenantId,
      id,
      name,
      isActive: true,
      payoutCurrency: payoutCurrency === "USD" ? "USD" : "BRL",
      createdAt: wholeSecond(this.#deps.clock),
    });
  }

  /** Returns false, with nothing written, if a unique value is taken. */
  async #commit(changes: Change[], entry: AuditRow | undefined, topic?: string): Promise<boolean> {
    if (topic !== undefined) changes.push(notify(topic));
    const result = await this.#deps.identity.committer.commit(changes, entry);
    // Other processes get the notification. This one must drop it before it answers.
    if (topic !== undefined) this.#deps.cache.drop(topic);
    return result === "committed";
  }
}
