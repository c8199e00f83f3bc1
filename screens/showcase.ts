import { lookup } from "node:dns";
import { startPages, type Pages } from "../test/support/browser.ts";
import { DatabaseRows } from "../test/support/database-rows.ts";
import { pictureFolder } from "../test/support/media.ts";
import { merchantOf, type Merchant } from "../test/support/merchant.ts";
import { secondService, type TestService } from "../test/support/service.ts";
import type { CoreSettings } from "../test/support/core-options.ts";
import { company, type Company } from "./company.ts";
import { liveMoney, type LiveMoney } from "./live-money.ts";
import { sales, type Sales } from "./sales.ts";
import { deliveries, type Deliveries } from "./deliveries.ts";

/** Midday in São Paulo, so that no day ends while pages are looked at. */
const NOON_SECONDS = 15 * 3600;
const DAY_SECONDS = 86_400;

/** The service with a company that has used it for weeks: long names, many rows, and one of everything that a page shows. */
export interface Showcase {
  readonly pages: Pages;
  readonly rows: DatabaseRows;
  readonly merchant: Merchant;
  readonly company: Company;
  readonly sales: Sales;
  readonly deliveries: Deliveries;
  readonly live: LiveMoney;
  /** A gateway that opens no further session, and one whose core does not answer. */
  readonly elsewhere: { readonly busyUrl: string; readonly brokenUrl: string };
  close(): Promise<void>;
}

/** Starts the service and fills it through its own interfaces. `start` brings the service on a database of its own. */
export async function openShowcase(
  start?: (settings: CoreSettings) => Promise<TestService>,
): Promise<Showcase> {
  const pictures = await pictureFolder();
  const settings: CoreSettings = {
    mediaStorage: pictures.mediaStorage,
    delivery: { schedule: [0], timeoutMs: 1500 },
    allowLoopbackProviders: true,
    // The bank's name has an IPv6 address too, where it does not listen.
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
  };
  const pages = await startPages(settings, start);
  const { service } = pages;
  service.clock.stop();
  const seconds = Math.floor(service.clock.nowMs() / 1000);
  service.clock.advance(DAY_SECONDS - ((seconds - NOON_SECONDS) % DAY_SECONDS));
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const tenant = await service.createTenant({ paymentMethods: ["pix", "card", "ted"], maxInstallments: 21 });
  const merchant = merchantOf(tenant, service, service);
  const sent = await deliveries(service, merchant);
  const sold = await sales(service, merchant, rows);
  const live = await liveMoney(service, tenant, rows);
  // Its sessions begin when all days have passed.
  const owned = await company(service, merchant);
  await sent.ended();
  const busy = await secondService(service, { ...settings, sessionRates: { perAddress: 1, perLink: 1 } });
  const broken = await secondService(service, settings);
  await broken.core.close();
  const at = { host: "127.0.0.1", port: 0 };
  return {
    pages,
    rows,
    merchant,
    company: owned,
    sales: sold,
    deliveries: sent,
    live,
    elsewhere: { busyUrl: await busy.gateway.listen(at), brokenUrl: await broken.gateway.listen(at) },
    close: async () => {
      await sent.close();
      await live.close();
      await busy.close();
      await broken.gateway.close();
      await rows.close();
      await pages.close();
      await pictures.remove();
    },
  };
}
