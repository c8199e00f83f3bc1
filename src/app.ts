import type { Interceptor, Transport } from "@connectrpc/connect";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { identityEntities, Route } from "./identity/entities.ts";
import { Identity } from "./identity/service.ts";
import { ledgerEntities } from "./ledger/entities.ts";
import { Ledger } from "./ledger/service.ts";
import { linksEntities } from "./links/entities.ts";
import { Links } from "./links/service.ts";
import { AnnouncedCache } from "./platform/cache.ts";
import type { Clock } from "./platform/clock.ts";
import { requireCoreToken } from "./platform/core-token.ts";
import { openEnvironment } from "./platform/database.ts";
import { createDirectTransport, type RegisterServices } from "./platform/direct-transport.ts";
import { translateErrors, type FaultLog } from "./platform/error-interceptor.ts";
import { Operations } from "./platform/operation.ts";
import { removePastKeys } from "./platform/retention.ts";
import { validateRequests } from "./platform/validation.ts";
import { pricingEntities } from "./pricing/entities.ts";
import { Pricing } from "./pricing/service.ts";

export interface CoreOptions {
  /** A database that is up to date, see `migrate`. */
  readonly databaseUrl: string;
  readonly coreToken: string;
  readonly checkoutBase: string;
  readonly mediaBase: string;
  readonly clock: Clock;
  readonly log: FaultLog & { info(message: string): void };
}

/** The core: its services for a Connect router, and a transport to them for callers of the same process. */
export interface Core {
  readonly register: RegisterServices;
  readonly interceptors: Interceptor[];
  readonly transport: Transport;
  /** Removes what is kept for replays past its time. */
  removePastKeys(): Promise<void>;
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>;
  close(): Promise<void>;
}

const POOL_MAX = 8;

export async function createCore(options: CoreOptions): Promise<Core> {
  const { databaseUrl: url, clock, log } = options;
  const rooms = [...pricingEntities, ...ledgerEntities, ...linksEntities, Route];
  const [identityEnvironment, live, test] = await Promise.all([
    openEnvironment({ url, schema: "identity", entities: identityEntities, poolMax: POOL_MAX }),
    openEnvironment({ url, schema: "live", entities: rooms, poolMax: POOL_MAX }),
    openEnvironment({ url, schema: "test", entities: rooms, poolMax: POOL_MAX }),
  ]);
  const environments = { live, test };
  const cache = new AnnouncedCache(url, (line) => log.info(line));
  await cache.listen();

  const operations = new Operations({ clock, environments });
  const identity = new Identity({ identity: identityEnvironment, cache, clock });
  const ledger = new Ledger({ clock, environments, identity, operations });
  const findIntent = ledger.pricedIntent.bind(ledger);
  const pricing = new Pricing({ clock, cache, environments, identity, operations, findIntent });
  const { checkoutBase, mediaBase } = options;
  const links = new Links({
    clock,
    environments,
    operations,
    identity,
    pricing,
    ledger,
    checkoutBase,
    mediaBase,
  });

  const register: RegisterServices = (router) => {
    router.service(IdentityService, identity.rpcs);
    router.service(PricingService, pricing.rpcs);
    router.service(LedgerService, ledger.rpcs);
    router.service(LinksService, links.rpcs);
  };
  const interceptors = [translateErrors(log), requireCoreToken(options.coreToken), validateRequests()];
  return {
    register,
    interceptors,
    transport: createDirectTransport(register, interceptors),
    removePastKeys: async () => {
      for (const environment of [live, test]) await removePastKeys(environment, clock);
    },
    isReady: async () => {
      const answered = await identityEnvironment.pool.query("SELECT 1").catch(() => undefined);
      return answered !== undefined;
    },
    close: async () => {
      await cache.close();
      await Promise.all([identityEnvironment, live, test].map(({ orm }) => orm.close(true)));
    },
  };
}
