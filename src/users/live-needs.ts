import { createClient, type Transport } from "@connectrpc/connect";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { dayAt } from "../../contract/day.ts";
import { HEADERS } from "../../contract/headers.ts";
import type { Asking } from "../../contract/needs.ts";
import type { Clock } from "../platform/time/clock.ts";

/** Returns what is known of a tenant in live mode, for everyone there. */
export type LiveOf = (tenantId: string) => Promise<Omit<Asking, "can">>;

/** The days before today whose seals are looked at, as on the console's first page. */
const DAYS = 6;

/** Returns what asks the core's own RPCs for what the console's first page shows of live mode. */
export function liveNeeds(transport: Transport, coreToken: string, clock: Clock): LiveOf {
  const core = {
    checkout: createClient(CheckoutService, transport),
    ledger: createClient(LedgerService, transport),
    pricing: createClient(PricingService, transport),
    providers: createClient(ProvidersService, transport),
    reconciliation: createClient(ReconciliationService, transport),
    refunds: createClient(RefundsService, transport),
    webhooks: createClient(WebhooksService, transport),
  };
  return async (tenantId) => {
    const as = {
      headers: { authorization: `Bearer ${coreToken}`, [HEADERS.tenant]: tenantId, [HEADERS.mode]: "live" },
    };
    const nowMs = clock.nowMs();
    const to = dayAt(nowMs);
    const period = { from: to.subtract({ days: DAYS }).toString(), to: to.toString() };
    const [{ accounts }, { seals }] = await Promise.all([
      core.providers.listProviderAccounts({}, as),
      core.ledger.listSeals(period, as),
    ]);
    return { core, as, mode: "live", accounts, seals, nowMs };
  };
}
