/** The service as one process, wired as `npm start` wires it, log and metrics too, on a database that is there already. */
import { openLog } from "../cli/log.ts";
import { Metrics } from "../cli/metrics.ts";
import { coreObserver, requestObserver } from "../cli/observers.ts";
import { createGateway } from "../gateway/app.ts";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { openCore } from "./core.ts";

const { DATABASE_URL = "", CHECKOUT_BASE = "http://127.0.0.1:8080", CORE_TOKEN = "" } = process.env;
const { log } = openLog("info");
const metrics = new Metrics("all", "bench");
const core = await openCore(DATABASE_URL, CORE_TOKEN, CHECKOUT_BASE, coreObserver(metrics, log));
metrics.watch(core);
const gateway = createGateway({
  transport: core.transport,
  services: [IdentityService, PricingService, LedgerService, RefundsService, LinksService],
  coreToken: CORE_TOKEN,
  versions: [{ name: "v1" }],
  logger: log,
  publicUrl: "http://127.0.0.1:8080",
  mediaBase: "http://127.0.0.1:8080/media",
  isReady: core.isReady,
  observer: requestObserver(metrics, log),
});
const address = await gateway.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ address });
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
