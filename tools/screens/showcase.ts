import { createClient } from "@connectrpc/connect";
import { lookup } from "node:dns";
import type { FastifyInstance } from "fastify";
import { coreTransport } from "../../cli/core/core-transport.ts";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import { createGateway } from "../../gateway/app.ts";
import { seedPricing } from "../../cli/serve/seed.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { startPages, type Pages } from "../../test/support/browser.ts";
import { DatabaseRows } from "../../test/support/database-rows.ts";
import { pictureFolder } from "../../test/support/media.ts";
import { merchantOf, type Merchant } from "../../test/support/merchant.ts";
import { secondService, type TestService } from "../../test/support/service.ts";
import { startSmtp } from "../../test/support/smtp.ts";
import { CORE_TOKEN, type CoreSettings } from "../../test/support/core-options.ts";
import { company, type Company } from "./company.ts";
import { liveMoney, type LiveMoney } from "./live-money.ts";
import { reconciliation, type Reconciled } from "./reconciliation.ts";
import { resetToken } from "./password-reset.ts";
import { payerScreens } from "./payer-screens.ts";
import type { Screen } from "./screen.ts";
import { DAYS, newQuote, sales, type Sales } from "./sales.ts";
import { typedCards } from "./typed-cards.ts";
import { deliveries, type Deliveries } from "./deliveries.ts";

/** Midday in São Paulo, so that no day ends while pages are looked at. */
const NOON_SECONDS = 15 * 3600;
const DAY_SECONDS = 86_400;

/** The service with a company that has used it for weeks: long names, many rows, and one of everything that a page shows. */
export interface Showcase {
  readonly pages: Pages;
  readonly merchant: Merchant;
  readonly company: Company;
  readonly sales: Sales;
  readonly deliveries: Deliveries;
  readonly live: LiveMoney;
  readonly reconciled: Reconciled;
  /** The token of a link to a new password. */
  readonly resetToken: string;
  /** The address of a gateway whose core does not answer. */
  readonly brokenUrl: string;
  /** Every page of the payer in every state. */
  readonly payer: readonly Screen[];
  /** Lets a wrong password count as the first one. */
  forgetAttempts(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the service and fills it through its own interfaces. `start` brings the service on a database of its own. */
export async function openShowcase(
  start?: (settings: CoreSettings) => Promise<TestService>,
): Promise<Showcase> {
  const pictures = await pictureFolder();
  const mail = await startSmtp();
  const settings: CoreSettings = {
    mediaStorage: pictures.mediaStorage,
    mail: mail.config,
    consoleUrl: "https://pay.shop.example/console",
    delivery: { schedule: [0], timeoutMs: 1500 },
    allowLoopbackProviders: true,
    // The bank's name has an IPv6 address too, where it does not listen.
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
  };
  const pages = await startPages(settings, start);
  const { service } = pages;
  service.clock.stop();
  const seconds = Math.floor(service.clock.nowMs() / 1000);
  // Pages take today from the real clock: the days of sales end with it.
  service.clock.advance(-((seconds - NOON_SECONDS) % DAY_SECONDS) - (DAYS + 1) * DAY_SECONDS);
  await seedPricing(createClient(PricingService, service.core.transport), service.internal.headers);
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const tenant = await service.createTenant({ paymentMethods: ["pix", "card", "ted"], maxInstallments: 21 });
  const merchant = merchantOf(tenant, service, service);
  const sent = await deliveries(service, merchant);
  const sold = await sales(service, merchant, rows);
  const live = await liveMoney(service, tenant, rows);
  const busy = await secondService(service, { ...settings, sessionsPerAddress: 1 });
  const broken = unansweredGateway(pages.baseUrl);
  const at = { host: "127.0.0.1", port: 0 };
  const brokenUrl = await broken.listen(at);
  const elsewhere = { busyUrl: await busy.gateway.listen(at), brokenUrl };
  const cards = await typedCards(service, live.bank);
  const payer = await payerScreens({ service, merchant, sales: sold, live, elsewhere, cards });
  // Those from before have ended meanwhile.
  const open = await newQuote(merchant, {});
  const reconciled = await reconciliation(service, merchant);
  // Its sessions begin when all days have passed.
  const owned = await company(service, merchant);
  const token = await resetToken(service, mail, owned.users.viewer.email);
  await sent.ended();
  return {
    pages,
    merchant,
    company: owned,
    sales: { ...sold, quotes: { open, ...sold.quotes } },
    deliveries: sent,
    live,
    reconciled,
    resetToken: token,
    brokenUrl,
    payer,
    forgetAttempts: async () => await rows.run("DELETE FROM identity.sign_in_attempt"),
    close: async () => {
      await sent.close();
      await live.close();
      await cards.close();
      await busy.close();
      await broken.close();
      await rows.close();
      await pages.close();
      await mail.close();
      await pictures.remove();
    },
  };
}

/** A gateway whose core is not there. */
function unansweredGateway(publicUrl: string): FastifyInstance {
  return createGateway({
    transport: coreTransport(["http://127.0.0.1:1"]),
    services: PUBLIC_SERVICES,
    coreToken: CORE_TOKEN,
    versions: [{ name: "v1" }],
    logger: false,
    publicUrl,
    allowsHttpConsole: true,
    mediaBase: `${publicUrl}/media`,
    isReady: () => Promise.resolve(false),
  });
}
