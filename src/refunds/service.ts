import type { ServiceImpl } from "@connectrpc/connect";
import type {
  CreateRefundRequest,
  Refund as RefundMessage,
  RefundExceptionRequest,
  RefundsService,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { findPayment } from "../ledger/repository.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { insert } from "../platform/change.ts";
import type { Environment } from "../platform/database.ts";
import { keysetPage } from "../platform/keyset-page.ts";
import { checkOwnText } from "../platform/metadata.ts";
import type { WriteSteps } from "../platform/operation.ts";
import { WorkByAccount } from "../platform/work-by-account.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import { isOutage } from "../providers/provider-fault.ts";
import { isId, newId } from "../../contract/ids.ts";
import { Answers } from "./answers.ts";
import { Asking } from "./asking.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund, type RefundRow } from "./entities.ts";
import { toRefund, toReturn } from "./mapping.ts";
import { ofException, ofPayment, paymentNotFound } from "./new-refund.ts";
import { findDueRefunds, findRefund, listRefunds, takeDueRefunds, type DueRefund } from "./repository.ts";
import { Returns } from "./returns.ts";

const LIMIT_DEFAULT = 20;
const RETURNS_MAX = 100;
const PLACES = 4;

type MakeRefund = typeof ofPayment;
type AnyRequest = CreateRefundRequest | RefundExceptionRequest;
type RefundResponse = { readonly refund?: RefundMessage };

/** The refunds room: its RPCs, its background task, and what other rooms tell it. */
export class Refunds {
  readonly #deps: RefundsDeps;
  readonly #asking: Asking;
  readonly #returns: Returns;
  readonly #work: Readonly<Record<Mode, WorkByAccount<DueRefund>>>;
  readonly rpcs: ServiceImpl<typeof RefundsService>;

  constructor(deps: RefundsDeps) {
    this.#deps = deps;
    const answers = new Answers(deps);
    this.#asking = new Asking(deps, answers);
    this.#returns = new Returns(deps, answers);
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
    this.rpcs = this.#rpcs();
  }

  /** Records what a provider tells of money of a payment that went back. Told twice, it is recorded once. */
  async recordReturns(call: Call, paymentId: string, returns: readonly ProviderReturn[]): Promise<void> {
    await this.#returns.record(call, paymentId, returns);
  }

  /** Asks providers about the refunds that are due, each on its own. Returns their number. Throws the faults of those that ended. */
  async checkRefunds(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): WorkByAccount<DueRefund> {
    const { environments, clock, log } = this.#deps;
    const now = (): Date => new Date(clock.nowMs());
    return new WorkByAccount({
      clock,
      places: PLACES,
      find: async (limit, except) => await findDueRefunds(environments[mode], now(), limit, except),
      take: async (tenantId, due) => await takeDueRefunds(environments[mode], now(), tenantId, due),
      idOf: ({ id }) => id,
      run: async (refund) => await this.#check(mode, refund),
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a refund could not be looked after"),
      failure: "refunds could not be looked after",
    });
  }

  async #check(mode: Mode, { tenantId, id }: DueRefund): Promise<void> {
    const call = { tenantId, mode, requestId: newId("req"), idempotencyKey: undefined, audit: NO_ENTRY };
    await this.#asking.ask(call, id, true);
  }

  #rpcs(): ServiceImpl<typeof RefundsService> {
    const { operations } = this.#deps;
    return {
      createRefund: operations.write(this.#refunding(ofPayment)),
      refundException: operations.write(this.#refunding(ofException)),
      listRefunds: operations.run(async ({ id: paymentId, limit, startingAfter }, caller) => {
        const { tenantId, environment } = caller;
        await requirePayment(environment, tenantId, paymentId);
        const { rows, hasMore, nextCursor } = await keysetPage({
          limit: limit ?? LIMIT_DEFAULT,
          startingAfter,
          what: "the id of a refund",
          find: async (id) => {
            const refund = await findRefund(environment, tenantId, id);
            return isListed(refund, paymentId) ? id : undefined;
          },
          read: async (after, rowCount) =>
            await listRefunds(environment, { tenantId, paymentId, origin: "merchant" }, rowCount, after),
        });
        return { data: rows.map(toRefund), hasMore, nextCursor };
      }),
      listReturns: operations.run(async ({ paymentId }, { tenantId, environment }) => {
        await requirePayment(environment, tenantId, paymentId);
        const of = { tenantId, paymentId, origin: "provider" } as const;
        const rows = await listRefunds(environment, of, RETURNS_MAX);
        return { returns: rows.filter(({ status }) => status === "succeeded").map(toReturn) };
      }),
    };
  }

  /** Returns the steps of an RPC that gives money back: the refund is written, then the provider is asked. */
  #refunding(make: MakeRefund): WriteSteps<AnyRequest, RefundResponse> {
    return {
      check: ({ reason }) => checkOwnText("reason", reason),
      decide: async ({ id, ...asked }, operation) => {
        const { refund, changes } = await make(this.#deps, operation, id, asked);
        return {
          response: { refund: toRefund(refund) },
          changes: [insert(Refund, refund), ...changes],
          audit: { objectId: refund.id },
        };
      },
      follow: async ({ refund }, operation) => {
        const row = await this.#asking.askBriefly(operation, refund?.id ?? "");
        return row ? { refund: toRefund(row) } : {};
      },
    };
  }
}

/** Returns true if a refund is in its payment's list. */
function isListed(refund: RefundRow | null, paymentId: string): boolean {
  return refund?.paymentId === paymentId && refund.origin === "merchant" && refund.exceptionId == null;
}

async function requirePayment(environment: Environment, tenantId: string, id: string): Promise<void> {
  if (!isId("pay", id) || !(await findPayment(environment, tenantId, id))) throw paymentNotFound();
}
