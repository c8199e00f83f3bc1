import { CONSOLE } from "./console.ts";
import { CORE } from "./core/part.ts";
import { MODEL } from "./model/part.ts";
import { REST } from "./rest/part.ts";
import type { Part } from "./part.ts";
import { SOCKETS } from "./sockets/part.ts";

/** Every part, the most valuable first. What the core is asked changes prices too: the model must come before it. */
export const PARTS: readonly Part[] = [MODEL, REST, CONSOLE, CORE, SOCKETS];
