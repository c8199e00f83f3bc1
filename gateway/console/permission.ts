import { type Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
/** Permissions that the pages and forms of the console require. */
const PERMISSIONS = [
  "payments.read",
  "payments.export",
  "payments.refund",
  "payers.read",
  "links.read",
  "links.write",
  "media.write",
  "close.seal",
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
    "payments.refund",
    "payers.read",
    "links.read",
    "links.write",
    "media.write",
    "close.seal",
    "settings.read",
    "audit.read",
  ]),
  viewer: new Set(["payments.read", "links.read"]),
};

/** Returns whether the role has the permission. */
export function isPermitted(role: RoleName, permission: Permission): boolean {
  return PERMISSIONS_OF[role].has(permission);
}
