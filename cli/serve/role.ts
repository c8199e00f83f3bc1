/** The parts that can run in separate processes; "all" runs every part in one process. */
export const ROLES = ["all", "core", "gateway", "worker"] as const;
export type Role = (typeof ROLES)[number];
