/** The scheme of calls within the process. */
export const DIRECT_SCHEME = "direct:";
