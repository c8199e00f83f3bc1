import type { DescService } from "@bufbuild/protobuf";
import { IdentityService } from "../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { ReconciliationService } from "../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhooksService } from "../gen/paylink/webhooks/v1/webhooks_pb.ts";

/** The services with RPCs that an API key may call. */
export const PUBLIC_SERVICES: readonly DescService[] = [
  PricingService,
  LedgerService,
  RefundsService,
  LinksService,
  WebhooksService,
  MediaService,
  IdentityService,
  ReconciliationService,
];
