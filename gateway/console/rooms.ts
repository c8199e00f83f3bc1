import { accountRoom } from "./account/routes.ts";
import { closeRoom } from "./close/routes.ts";
import { homeRoom } from "./home/routes.ts";
import { linksRoom } from "./links/routes.ts";
import { paymentsRoom } from "./payments/routes.ts";
import { quotesRoom } from "./quotes/routes.ts";
import type { ConsoleRoutes } from "./routes.ts";

/** Every room of the console; each adds its pages. */
export const ROOMS: readonly ((routes: ConsoleRoutes) => void)[] = [
  homeRoom,
  accountRoom,
  linksRoom,
  quotesRoom,
  paymentsRoom,
  closeRoom,
];
