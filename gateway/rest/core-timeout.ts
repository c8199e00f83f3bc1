// A request makes two calls, one for its caller and one for its work. Together they end before a drain cuts it off.
/** Time limit for authenticating a caller. */
export const LOOKUP_TIMEOUT_MS = 5000;
/** Time limit for the core's other work on a request. */
export const CORE_TIMEOUT_MS = 18_000;
