import type { ServiceImpl } from "@connectrpc/connect";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { AnnouncedCache } from "../platform/cache.ts";
import { describeChange } from "../platform/audit-trail.ts";
import type { Mode } from "../platform/caller.ts";
import { insert, notify, update, type Change } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { Administration } from "./administration.ts";
import { ApiKeys } from "./api-keys.ts";
import { CoreTokens } from "./core-tokens.ts";
import { KnownTenants } from "./known-tenants.ts";
import { LegalEntity, Tenant, type LegalEntityRow } from "./entities.ts";
import { toTenant } from "./mapping.ts";
import { findLegalEntity, findOwner, findSettings, listTenants, type TenantSettings } from "./repository.ts";

export interface IdentityDeps {
  readonly identity: Environment;
  readonly cache: AnnouncedCache;
  readonly clock: Clock;
  /** Receives errors of background work, which has no caller. */
  readonly onFault: (error: unknown) => void;
}

/** The identity room: its RPCs, and its functions for other rooms. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly coreTokens: CoreTokens;
  readonly administration: Administration;
  readonly apiKeys: ApiKeys;
  readonly tenants: KnownTenants;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.coreTokens = new CoreTokens(deps);
    this.tenants = new KnownTenants(deps.identity);
    this.administration = new Administration(deps, this.tenants);
    this.apiKeys = new ApiKeys({ ...deps, tenants: this.tenants });
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

  /** Writes the uses of keys that are not written yet. */
  async close(): Promise<void> {
    await this.apiKeys.close();
  }

  readonly rpcs: Omit<
    ServiceImpl<typeof IdentityService>,
    keyof (CoreTokens & Administration & ApiKeys)["rpcs"]
  > = {
    createTenant: async (request) => {
      const createdAt = wholeSecond(this.#deps.clock);
      const [id, legalEntityId] = [newId("ten"), newId("le")];
      describeChange({ tenantId: id });
      await this.#commit([
        insert(Tenant, {
          id,
          name: request.name,
          paymentMethods: request.paymentMethods.length > 0 ? request.paymentMethods : ["pix", "card"],
          maxInstallments: request.maxInstallments ?? 21,
          collectFields: request.collectFields,
          settlementDays: request.settlementDays ?? 1,
          createdAt,
          membershipVersion: 0,
        }),
        this.#legalEntity(id, legalEntityId, request.name, request.payoutCurrency),
      ]);
      return { id, legalEntityId };
    },
    listTenants: async () => ({ tenants: (await listTenants(this.#deps.identity)).map(toTenant) }),
    createLegalEntity: async ({ tenantId, name, payoutCurrency }) => {
      await this.settingsOf(tenantId);
      const id = newId("le");
      await this.#commit([this.#legalEntity(tenantId, id, name, payoutCurrency)], `tenant:${tenantId}`);
      return { id };
    },
    deactivateLegalEntity: async ({ tenantId, id }) => {
      await this.tenants.require(tenantId);
      const entity = await findLegalEntity(this.#deps.identity, tenantId, id);
      if (!entity) throw new PaylinkError("legal_entity_not_found", "There is no such legal entity.");
      if (!entity.isActive) return {};
      await this.#commit([update(LegalEntity, { tenantId, id }, { isActive: false })], `tenant:${tenantId}`);
      return {};
    },
  };

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
  async #commit(changes: Change[], topic?: string): Promise<boolean> {
    if (topic !== undefined) changes.push(notify(topic));
    const result = await this.#deps.identity.committer.commit(changes, null);
    // Other processes get the notification. This one must drop it before it answers.
    if (topic !== undefined) this.#deps.cache.drop(topic);
    return result === "committed";
  }
}
