import type { ApiVersion } from "../../gateway/rest/api-versions.ts";

/**
 * The versions of the public contract that are served. To deprecate one, set `deprecation: { deprecatedOn, sunsetOn }`.
 * The service refuses to start with less than 12 months between the two, or with a sunset earlier than one that this
 * database was ever started with.
 */
export const API_VERSIONS: readonly ApiVersion[] = [{ name: "v1" }];
