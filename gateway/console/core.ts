import type { DescMessage } from "@bufbuild/protobuf";
import {
  ConnectError,
  createClient,
  type CallOptions,
  type Client,
  type Transport,
} from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { UsersService, type Session } from "../../gen/paylink/identity/v1/users_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";

const TIMEOUT_MS = 30_000;

/** The core's services in the console: the same RPCs that other clients use. */
export interface ConsoleCore {
  readonly auditLog: Client<typeof AuditLogService>;
  readonly checkout: Client<typeof CheckoutService>;
  readonly identity: Client<typeof IdentityService>;
  readonly ledger: Client<typeof LedgerService>;
  readonly links: Client<typeof LinksService>;
  readonly media: Client<typeof MediaService>;
  readonly pricing: Client<typeof PricingService>;
  readonly providers: Client<typeof ProvidersService>;
  readonly reconciliation: Client<typeof ReconciliationService>;
  readonly refunds: Client<typeof RefundsService>;
  readonly users: Client<typeof UsersService>;
  readonly webhooks: Client<typeof WebhooksService>;
}

// What the core refused, by the error that says so.
const refusedInputs = new WeakMap<object, DescMessage>();

/** Returns the descriptor of the request that the core refused with this error. */
export function refusedInput(error: object): DescMessage | undefined {
  return refusedInputs.get(error);
}

function notingRefusals(core: Transport): Transport {
  return {
    stream: async (...call) => await core.stream(...call),
    unary: async (method, ...call) => {
      try {
        return await core.unary(method, ...call);
      } catch (error) {
        if (error instanceof ConnectError) refusedInputs.set(error, method.input);
        throw error;
      }
    },
  };
}

export function consoleCore(core: Transport): ConsoleCore {
  const transport = notingRefusals(core);
  return {
    auditLog: createClient(AuditLogService, transport),
    checkout: createClient(CheckoutService, transport),
    identity: createClient(IdentityService, transport),
    ledger: createClient(LedgerService, transport),
    links: createClient(LinksService, transport),
    media: createClient(MediaService, transport),
    pricing: createClient(PricingService, transport),
    providers: createClient(ProvidersService, transport),
    reconciliation: createClient(ReconciliationService, transport),
    refunds: createClient(RefundsService, transport),
    users: createClient(UsersService, transport),
    webhooks: createClient(WebhooksService, transport),
  };
}

/** Returns the call options of a request. With a session they name the tenant, and the user for the audit log. */
export function callOptions(
  coreToken: string,
  request: FastifyRequest,
  session?: Session,
  mode?: "live" | "test",
): CallOptions {
  const headers = new Headers({
    authorization: `Bearer ${coreToken}`,
    [HEADERS.requestId]: request.id,
    [HEADERS.actorAddress]: request.ip,
  });
  if (session?.user && session.membership) {
    headers.set(HEADERS.tenant, session.membership.tenantId);
    headers.set(HEADERS.actor, session.user.id);
    headers.set(HEADERS.actorName, encodeURIComponent(session.user.email));
  }
  if (mode !== undefined) headers.set(HEADERS.mode, mode);
  return { headers, timeoutMs: TIMEOUT_MS };
}
