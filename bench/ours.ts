/** The service as one process, wired as `npm start` wires it, on a database that is there already. */
import { createGateway } from "../gateway/app.ts";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { openCore } from "./core.ts";

const { DATABASE_URL = "", CHECKOUT_BASE = "http://127.0.0.1:8080", CORE_TOKEN = "" } = process.env;
const core = await openCore(DATABASE_URL, CORE_TOKEN, CHECKOUT_BASE);
const gateway = createGateway({
  transport: core.transport,
  services: [IdentityService, PricingService, LedgerService, LinksService],
  coreToken: CORE_TOKEN,
  versions: [{ name: "v1" }],
  logger: false,
  isReady: core.isReady,
});
const address = await gateway.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ address });
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
