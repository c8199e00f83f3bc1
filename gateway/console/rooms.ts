import { accountRoom } from "./account/routes.ts";
import { auditRoom } from "./audit/routes.ts";
import { closeRoom } from "./close/routes.ts";
import { homeRoom } from "./home/routes.ts";
import { keysRoom } from "./keys/routes.ts";
import { linksRoom } from "./links/routes.ts";
import { mediaRoom } from "./media/routes.ts";
import { paymentsRoom } from "./payments/routes.ts";
import { providersRoom } from "./providers/routes.ts";
import { reconciliationRoom } from "./reconciliation/routes.ts";
import { usersRoom } from "./users/routes.ts";
import { quotesRoom } from "./quotes/routes.ts";
import type { ConsoleRoutes } from "./routes.ts";
import { settingsRoom } from "./settings/routes.ts";
import { webhooksRoom } from "./webhooks/routes.ts";

/** Every room of the console. Each adds its pages. */
export const ROOMS: readonly ((routes: ConsoleRoutes) => void)[] = [
  homeRoom,
  linksRoom,
  quotesRoom,
  paymentsRoom,
  closeRoom,
  reconciliationRoom,
  mediaRoom,
  webhooksRoom,
  keysRoom,
  providersRoom,
  usersRoom,
  settingsRoom,
  auditRoom,
  accountRoom,
];
