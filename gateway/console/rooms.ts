import { accountRoom } from "./account/routes.ts";
import { auditRoom } from "./audit/routes.ts";
import { homeRoom } from "./home/routes.ts";
import { keysRoom } from "./keys/routes.ts";
import { peopleRoom } from "./people/routes.ts";
import type { ConsoleRoutes } from "./routes.ts";
import { settingsRoom } from "./settings/routes.ts";

/** Every room of the console; each adds its pages. */
export const ROOMS: readonly ((routes: ConsoleRoutes) => void)[] = [
  homeRoom,
  accountRoom,
  keysRoom,
  peopleRoom,
  settingsRoom,
  auditRoom,
];
