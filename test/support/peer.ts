import { createCore } from "../../src/app.ts";
import { createGateway } from "../../gateway/app.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CHECKOUT_BASE, CORE_TOKEN, MEDIA_BASE, type TestService } from "./service.ts";

/** A second core and gateway on the database and clock of the first: another process, or the same one restarted. */
export async function startPeer(service: TestService): Promise<TestService> {
  const faults: unknown[] = [];
  const core = await createCore({
    databaseUrl: service.databaseUrl,
    coreToken: CORE_TOKEN,
    checkoutBase: CHECKOUT_BASE,
    mediaBase: MEDIA_BASE,
    clock: service.clock,
    log: { info: () => undefined, error: (details) => void faults.push(details) },
  });
  const gateway = createGateway({
    transport: core.transport,
    services: [IdentityService, PricingService, LedgerService, LinksService],
    coreToken: CORE_TOKEN,
    logger: false,
    isReady: core.isReady,
  });
  await gateway.ready();
  return {
    ...service,
    core,
    gateway,
    transport: core.transport,
    close: async () => {
      await gateway.close();
      await core.close();
      if (faults.length > 0) throw new Error("the second core reported faults", { cause: faults });
    },
  };
}
