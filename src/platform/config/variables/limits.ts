import type { Variable } from "./variable.ts";

/** Quotas and rates. */
export const LIMITS: readonly Variable[] = [
  {
    name: "CHECKOUT_SESSIONS_PER_ADDRESS",
    default: "6000",
    readBy: ["gateway"],
    example: "600",
    text: "How many checkout sessions one gateway opens in a minute for an address, and how many payments it starts. `0`: any number. Behind a proxy it needs `TRUSTED_PROXIES`.",
  },
  {
    name: "CHECKOUT_OPEN_SESSIONS",
    default: "100000",
    readBy: ["core"],
    example: "1000",
    text: "The number of open checkout sessions with which a link is full.",
  },
  {
    name: "MEDIA_PICTURES",
    default: "5000",
    readBy: ["core"],
    example: "500",
    text: "How many pictures a tenant has at most in each mode.",
  },
  {
    name: "MEDIA_MEGABYTES",
    default: "2048",
    readBy: ["core"],
    example: "512",
    text: "How many megabytes a tenant's pictures have at most in each mode.",
  },
  {
    name: "API_KEYS",
    default: "100",
    readBy: ["core"],
    example: "10",
    text: "How many active API keys a tenant has at most in each mode.",
  },
  {
    name: "TENANT_USERS",
    default: "1000",
    readBy: ["core"],
    example: "50",
    text: "How many members and open invitations a tenant has at most.",
  },
  {
    name: "PROVIDER_ACCOUNTS",
    default: "20",
    readBy: ["core"],
    example: "5",
    text: "How many accounts at providers a tenant has at most, with retired ones whose statements are still read.",
  },
  {
    name: "RATE_LIMIT_KEY_PER_SECOND",
    absent: "no limit",
    readBy: ["gateway"],
    example: "50",
    text: "API requests of one key in a second, on average, in each gateway: divide by their number. The processes of `--workers` count together.",
  },
  {
    name: "RATE_LIMIT_KEY_BURST",
    absent: "twice the rate",
    readBy: ["gateway"],
    example: "120",
    needs: { RATE_LIMIT_KEY_PER_SECOND: "50" },
    text: "API requests of one key at once.",
  },
  {
    name: "RATE_LIMIT_TENANT_PER_SECOND",
    absent: "no limit",
    readBy: ["gateway"],
    example: "100",
    text: "API requests in a second, on average, of a tenant's keys of one mode together, in each gateway.",
  },
  {
    name: "RATE_LIMIT_TENANT_BURST",
    absent: "twice the rate",
    readBy: ["gateway"],
    example: "240",
    needs: { RATE_LIMIT_TENANT_PER_SECOND: "100" },
    text: "API requests at once of a tenant's keys of one mode together.",
  },
];
