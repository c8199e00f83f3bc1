import { createRequire } from "node:module";
import type * as Undici from "undici";

const require = createRequire(import.meta.url);

/** Loads the library at its first use: it has a hundred files, and a service without providers asks none. */
export function undici(): typeof Undici {
  return require("undici") as typeof Undici;
}
