import { createClient } from "@connectrpc/connect";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Bank } from "../../bank/bank.ts";
import type { LiveMerchant, LiveService } from "../../../test/provider-accounts/live-merchant.ts";
import type { DatabaseRows } from "../../../test/support/database-rows.ts";
import { findBroken } from "../chaos/invariants.ts";
import type { BankFigures, BookFigures, MerchantFigures } from "./figures.ts";

type Rows = Pick<DatabaseRows, "read">;

/** An event as its webhook carries it. */
interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly payment?: { readonly id: string; readonly gross_amount: number };
    readonly refund?: { readonly amount: number };
    readonly return?: { readonly amount: number };
  };
}

export function figuresOfBank(bank: Bank): BankFigures {
  const money = [...bank.account().money.values()];
  const returns = money.flatMap(({ endToEndId, returns: all }) =>
    all
      .filter(({ status }) => status === "DEVOLVIDO" || status === "DEVOLUCAO_MED")
      .map(({ id, amountMinor }) => [`${endToEndId}/${id}`, amountMinor] as const),
  );
  return {
    money: new Map(money.map(({ endToEndId, amountMinor }) => [endToEndId, amountMinor])),
    returns: new Map(returns),
  };
}

export async function figuresOfBooks(
  { service }: LiveService,
  { ledger, as }: LiveMerchant,
  rows: Rows,
): Promise<BookFigures> {
  const broken = await findBroken({
    query: async (sql: string) => await Promise.resolve({ rows: await rows.read(sql) }),
  });
  const amounts = async (sql: string): Promise<Map<string, bigint>> =>
    new Map((await rows.read(sql)).map(({ id, minor }) => [String(id), BigInt(String(minor))]));
  const successes = await rows.read(
    `SELECT p.id AS payment, c.provider_payment_id AS id, r.payer_total_minor AS minor
      FROM live.payment p JOIN live.charge c ON c.tenant_id = p.tenant_id AND c.payment_id = p.id
      JOIN live.price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id WHERE p.status = 'succeeded'`,
  );
  const { balances } = await ledger.getTrialBalance({}, as);
  const clearing = balances.find(
    ({ account, currency }) => account === "provider_clearing" && currency === "BRL",
  );
  const checked = await createClient(LedgerService, service.core.transport).checkLedger(
    { mode: Mode.LIVE },
    service.internal,
  );
  const waiting = await rows.read(
    `SELECT 'refund ' || id AS what FROM live.refund WHERE status IN ('requested', 'processing')
      UNION ALL SELECT 'callback ' || body_hash FROM live.provider_callback WHERE due_at IS NOT NULL
      UNION ALL SELECT 'charge ' || payment_id FROM live.charge WHERE is_open
      UNION ALL SELECT 'delivery ' || id FROM live.webhook_delivery WHERE status <> 'succeeded'`,
  );
  return {
    successes: new Map(
      successes.map(({ payment, id, minor }) => [
        String(payment),
        { id: String(id), amountMinor: BigInt(String(minor)) },
      ]),
    ),
    exceptions: await amounts(
      "SELECT provider_payment_id AS id, amount_minor AS minor FROM live.payment_exception",
    ),
    unknown: await amounts(
      "SELECT end_to_end_id AS id, amount_minor AS minor FROM live.unknown_money WHERE resolved_at IS NULL",
    ),
    returns: await amounts(
      `SELECT provider_payment_id || '/' || coalesce(provider_return_id, replace(id, '_', '')) AS id,
        amount_minor AS minor FROM live.refund WHERE status = 'succeeded'`,
    ),
    refunded: await amounts(
      `SELECT payment_id AS id, sum(amount_minor) AS minor FROM live.refund
        WHERE status = 'succeeded' AND exception_id IS NULL GROUP BY payment_id`,
    ),
    clearingMinor: (clearing?.debit ?? 0n) - (clearing?.credit ?? 0n),
    loose: [
      ...broken.map(({ name, details }) => `${name}: ${details.join(", ")}`),
      ...waiting.map(({ what }) => `${String(what)} still waits`),
      ...checked.problems.map(({ paymentId }) => `the ledger's check finds something at ${paymentId}`),
    ],
  };
}

/** `bodies`: what the merchant's receiver took, in part more than once. */
export async function figuresOfMerchant(
  { api }: LiveMerchant,
  bodies: readonly string[],
  paymentIds: readonly string[],
): Promise<MerchantFigures> {
  const events = new Map(
    bodies.map((text) => JSON.parse(text) as EventBody).map((event) => [event.id, event]),
  );
  const payments: [string, bigint][] = [];
  for (const id of paymentIds) {
    const { body } = await api.get(`/v1/payments/${id}`);
    if (body.refunded_amount !== undefined) payments.push([id, BigInt(body.refunded_amount)]);
  }
  return {
    events: [...events.values()].flatMap(({ type, data: { payment, refund, return: given } }) => {
      const amounts: Readonly<Record<string, number | undefined>> = {
        "payment.succeeded": payment?.gross_amount,
        "refund.succeeded": refund?.amount,
        "payment.returned": given?.amount,
      };
      const amount = amounts[type];
      if (amount === undefined) return [];
      return { type, paymentId: payment?.id ?? "", amountMinor: BigInt(amount) };
    }),
    payments: new Map(payments),
  };
}
