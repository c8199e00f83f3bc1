// A request asks twice, for its caller and for what it wants: both together are over before a drain cuts it off.
/** How long a lookup of who asks may take. */
export const LOOKUP_TIMEOUT_MS = 5000;
/** How long anything else that the core does for one request may take. */
export const CORE_TIMEOUT_MS = 18_000;
