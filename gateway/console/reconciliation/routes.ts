import { dayInPath } from "../day-in-path.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { bankAccountRoutes } from "./bank-accounts.ts";
import { dayPage } from "./day-page.ts";
import { decideRoutes } from "./decide.ts";
import { feeRoutes } from "./fees.ts";
import { importRoutes } from "./import.ts";
import { lineRoutes } from "./line-lists.ts";
import { matchRoutes } from "./matches.ts";
import { showMonth } from "./month-page.ts";
import { sendPackage } from "./package.ts";

/** Adds the pages of reconciliation: months and days, lines and matches, bank accounts with their files and fees. */
export function reconciliationRoom(routes: ConsoleRoutes): void {
  routes.page("/reconciliation", "reconciliation.read", showMonth);
  routes.page("/reconciliation/package.zip", "reconciliation.read", sendPackage);
  routes.change("/reconciliation/read", "reconciliation.write", {
    act: async (visit) => {
      await visit.core.reconciliation.readStatementsNow({}, visit.as);
      return visit.goTo(`${visit.path("/reconciliation")}?done=asked`);
    },
  });
  routes.page(
    "/reconciliation/days/:day",
    "reconciliation.read",
    async (visit) => await visit.show(await dayPage(visit, dayInPath(visit))),
  );
  decideRoutes(routes);
  matchRoutes(routes);
  lineRoutes(routes);
  bankAccountRoutes(routes);
  importRoutes(routes);
  feeRoutes(routes);
}
