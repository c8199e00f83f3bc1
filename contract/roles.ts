import { type Role } from "../gen/paylink/identity/v1/users_pb.ts";
import { type WordOf } from "./enum-words.ts";
import type { Permissions } from "./permission.ts";

/** Permissions that the pages and forms of the console require. */
const PERMISSIONS = [
  "payments.read",
  "payments.export",
  "payments.check",
  "payments.refund",
  "payers.read",
  "payers.erase",
  "links.read",
  "links.write",
  "media.write",
  "close.seal",
  "reconciliation.read",
  "reconciliation.write",
  "keys.read",
  "keys.write",
  "webhooks.read",
  "webhooks.write",
  "providers.read",
  "providers.write",
  "settings.read",
  "settings.write",
  "users.read",
  "users.write",
  "audit.read",
] as const;

export type Permission = (typeof PERMISSIONS)[number];
export type RoleName = WordOf<typeof Role>;

const PERMISSIONS_OF: Readonly<Record<RoleName, ReadonlySet<Permission>>> = {
  owner: new Set(PERMISSIONS),
  developer: new Set([
    "payments.read",
    "payments.export",
    "payments.check",
    "links.read",
    "links.write",
    "media.write",
    "keys.read",
    "keys.write",
    "webhooks.read",
    "webhooks.write",
    "settings.read",
  ]),
  finance: new Set([
    "payments.read",
    "payments.export",
    "payments.check",
    "payments.refund",
    "payers.read",
    "links.read",
    "links.write",
    "media.write",
    "close.seal",
    "reconciliation.read",
    "reconciliation.write",
    "settings.read",
    "audit.read",
  ]),
  viewer: new Set(["payments.read", "links.read"]),
};

/** What the core asks for the pages and forms of a permission. A caller that gives a role needs all of them. */
const CORE_PERMISSIONS: Readonly<Record<Permission, Permissions>> = {
  "payments.read": ["ledger:read", "checkout:read", "webhooks:read"],
  "payments.export": ["ledger:read"],
  "payments.check": ["checkout:write"],
  "payments.refund": ["refunds:write"],
  "payers.read": ["payers:read"],
  "payers.erase": ["payers:write"],
  "links.read": ["links:read", "pricing:read", "ledger:read", "checkout:read", "webhooks:read"],
  // The scopes of a key that only makes offers ask for "ledger:write", for payment intents.
  "links.write": ["links:write", "pricing:write", "ledger:write"],
  "media.write": ["media:write"],
  "close.seal": ["ledger:write"],
  "reconciliation.read": ["reconciliation:read", "ledger:read"],
  "reconciliation.write": ["reconciliation:write"],
  "keys.read": ["identity:admin"],
  "keys.write": ["identity:admin"],
  "webhooks.read": ["webhooks:read"],
  "webhooks.write": ["webhooks:write"],
  "providers.read": ["providers:read"],
  "providers.write": ["providers:admin"],
  "settings.read": ["identity:admin"],
  "settings.write": ["identity:admin"],
  "users.read": ["identity:admin"],
  "users.write": ["identity:admin"],
  "audit.read": ["identity:admin"],
};

/** Returns the permissions of the core's RPCs behind all pages and forms of a role. */
export function permissionsOfRole(role: RoleName): Permissions {
  return [...new Set([...PERMISSIONS_OF[role]].flatMap((permission) => CORE_PERMISSIONS[permission]))];
}

/** Returns whether the role has the permission. */
export function isPermitted(role: RoleName, permission: Permission): boolean {
  return PERMISSIONS_OF[role].has(permission);
}
