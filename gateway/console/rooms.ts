import { accountRoom } from "./account/routes.ts";
import { homeRoom } from "./home/routes.ts";
import { mediaRoom } from "./media/routes.ts";
import type { ConsoleRoutes } from "./routes.ts";
import { webhooksRoom } from "./webhooks/routes.ts";

/** Every room of the console; each adds its pages. */
export const ROOMS: readonly ((routes: ConsoleRoutes) => void)[] = [
  homeRoom,
  mediaRoom,
  webhooksRoom,
  accountRoom,
];
