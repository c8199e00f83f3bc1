import { ADDRESSES } from "./addresses.ts";
import { COMMAND_LINE } from "./command-line.ts";
import { CONTAINERS } from "./containers.ts";
import { LIMITS } from "./limits.ts";
import { OUTSIDE } from "./outside.ts";
import { RUNNING } from "./running.ts";
import { TRACING } from "./tracing.ts";
import type { Variable } from "./variable.ts";

/** Every variable that the service, its command line, the internal examples and the containers read, by name. */
export const VARIABLES: readonly Variable[] = [
  ...ADDRESSES,
  ...RUNNING,
  ...LIMITS,
  ...OUTSIDE,
  ...COMMAND_LINE,
  ...TRACING,
  ...CONTAINERS,
].toSorted((one, other) => (one.name < other.name ? -1 : 1));
