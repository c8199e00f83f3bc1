import { hash } from "node:crypto";
import type { LookupFunction } from "node:net";
import type { TimeLimits } from "../providers/connection.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { AnnouncedCache } from "../platform/db/cache.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Quotas } from "../platform/config/limits-config.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { FaultLog } from "../platform/rpc/error-interceptor.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { AddressPolicy } from "../platform/outside/outside-address.ts";
import type { StoredConfig } from "../providers/stored-config.ts";
import type { Change } from "../platform/write/change.ts";
import type { Asking, BalanceBlock, ReceivedMoney } from "../providers/ports.ts";
import type { AccountRow } from "./entities.ts";

export interface AccountsDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly encryption: Encryption;
  readonly cache: AnnouncedCache;
  readonly lookup: LookupFunction;
  readonly providerPolicy: AddressPolicy;
  /** How long providers are waited for. */
  readonly providerLimits: TimeLimits;
  readonly log: FaultLog;
  /** Is called for every failure of a provider, by its kind. */
  readonly onProviderFault: (kind: string) => void;
  /** The address before the secret of each account's callbacks. */
  readonly callbackBase: string;
  readonly quotas: Pick<Quotas, "providerAccounts">;
  /** Returns the changes that keep what a callback tells of a payment's money that is held back. */
  readonly noteBlock: (call: Call, accountId: string, block: BalanceBlock) => Promise<Change[]>;
  /** Ends the disputes of the payment of a reference whose money is not held back any more, by what is known of it. */
  readonly closeBlocks: (call: Call, of: { readonly reference: string }) => Promise<void>;
  /** Returns the owner of an account's id or callback route. */
  readonly ownerOf: (id: string) => Promise<{ tenantId: string; mode: Mode } | null>;
}

/** What the room needs of the charges that are made with its accounts. */
export interface AccountCharges {
  /** Returns those of the references that charges of the account have. */
  referencesOf(call: Call, accountId: string, references: readonly string[]): Promise<readonly string[]>;
  /** Returns the references of the account's charges that have money of these ids of the provider. */
  referencesOfMoney(call: Call, accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Returns the references of the account's charges that have these ids at the provider, and not their money. */
  referencesOfUntaken(call: Call, accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Asks the provider about the charge of a reference, and records its answer. Returns false if there is no such charge. */
  refreshCharge(
    call: Call,
    accountId: string,
    reference: string,
    asking?: Pick<Asking, "signal" | "callbackIds" | "isOfMoney">,
  ): Promise<boolean>;
  /** Returns the ids of that part of an account's money that charges have. */
  takenMoney(
    call: Call,
    accountId: string,
    money: readonly Pick<ReceivedMoney, "providerPaymentId" | "reference">[],
  ): Promise<ReadonlySet<string>>;
}

/** The cache topic of all accounts. */
export const TOPIC = "provider_accounts";

/** Returns the cache topic of a tenant's accounts. */
export function topicOf(tenantId: string): string {
  return `${TOPIC}:${tenantId}`;
}

/** Returns the address at which a provider calls back. What providers append to it is swallowed by its query. */
export function callbackAddress(base: string, { callback, callbackSecret }: StoredConfig): string {
  const address = `${base}/${callbackSecret}`;
  return callback.kind === "hmac" ? `${address}?hmac=${callback.secret}&ignorar=` : address;
}

/** Returns the id by which the address of callbacks with this secret is found. */
export function callbackRoute(secret: string): string {
  return `callback:${hash("sha256", secret)}`;
}

/** Returns the account's secrets. */
export async function openConfig(encryption: Encryption, row: AccountRow): Promise<StoredConfig> {
  return JSON.parse(await encryption.decrypt(row.sealedConfig, configOwner(row))) as StoredConfig;
}

export async function sealConfig(
  encryption: Encryption,
  account: Pick<AccountRow, "tenantId" | "id">,
  config: StoredConfig,
): Promise<string> {
  return await encryption.encrypt(JSON.stringify(config), configOwner(account));
}

export function accountNotFound(): PaylinkError {
  return new PaylinkError("provider_account_not_found", "There is no such provider account.");
}

function configOwner({ tenantId, id }: Pick<AccountRow, "tenantId" | "id">): string {
  return `provider account ${id} of ${tenantId}`;
}
