/** The parts that can run apart; "all" is every one of them in one process. */
export const ROLES = ["all", "core", "gateway", "worker"] as const;
export type Role = (typeof ROLES)[number];
