import { startOfDay } from "../../../contract/day.ts";
import type { Environment } from "../../platform/db/database.ts";
import { secondsAfter } from "../../platform/time/clock.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../account-statement.ts";
import { SandboxCharge, SandboxRefund, type SandboxChargeRow, type SandboxRefundRow } from "../entities.ts";
import { END_SECONDS, MOVES, movesOf, type Move } from "./aftermath.ts";
import { feeIdOf, receiptIdOf } from "./receipt-id.ts";

const ALL_MOVES = Object.entries(MOVES).flatMap(([aftermath, moves]) =>
  moves.map(({ afterSeconds, isBack }) => ({ aftermath, afterSeconds, direction: isBack ? 1 : -1 })),
);
const MOVE_COLUMNS = [
  ALL_MOVES.map(({ aftermath }) => aftermath),
  ALL_MOVES.map(({ afterSeconds }) => afterSeconds),
  ALL_MOVES.map(({ direction }) => direction),
] as const;

/** The statement of a tenant's money at the sandbox: its charges with their fees, if they have any, and its refunds. */
export class SandboxAccountStatement implements AccountStatement {
  readonly hasBalance = true;
  readonly hasToday = true;
  readonly #environment: Environment;
  readonly #tenantId: string;

  constructor(environment: Environment, tenantId: string) {
    this.#environment = environment;
    this.#tenantId = tenantId;
  }

  async *lines(day: string): AsyncGenerator<StatementLine> {
    const tenantId = this.#tenantId;
    const [from, to] = boundsOf(day);
    const em = this.#environment.orm.em.fork();
    const period = { $gte: from, $lt: to };
    const charges = await em.find(
      SandboxCharge,
      { tenantId, status: "paid", paidAt: period },
      { orderBy: { paidAt: "asc", reference: "asc" } },
    );
    for (const charge of charges) {
      yield lineOfCharge(charge, day);
      if (charge.feeMinor != null) yield lineOfFee(charge, charge.feeMinor, day);
    }
    const refunds = await em.find(
      SandboxRefund,
      { tenantId, createdAt: period },
      { orderBy: { createdAt: "asc", refundId: "asc" } },
    );
    for (const refund of refunds) yield lineOfRefund(refund, day);
    // They end within seconds.
    const moving = await em.find(SandboxCharge, {
      tenantId,
      status: "paid",
      aftermathAt: { $gte: secondsAfter(from, -END_SECONDS), $lt: to },
    });
    for (const charge of moving) {
      const moves = movesOf(charge).filter(({ at }) => at >= from && at < to);
      for (const move of moves) yield lineOfMove(charge, move, day);
    }
  }

  async balance(day: string): Promise<DayBalance> {
    const [from, to] = boundsOf(day);
    return { openingMinor: await this.#balanceBefore(from), closingMinor: await this.#balanceBefore(to) };
  }

  async #balanceBefore(time: Date): Promise<bigint> {
    const { rows } = await this.#environment.pool.query<{ minor: string }>({
      text: `SELECT ((SELECT coalesce(sum(amount_minor - coalesce(fee_minor, 0)), 0) FROM sandbox_charge
            WHERE tenant_id = $1 AND status = 'paid' AND paid_at < $2)
          - (SELECT coalesce(sum(amount_minor), 0) FROM sandbox_refund
            WHERE tenant_id = $1 AND created_at < $2)
          + (SELECT coalesce(sum(amount_minor * move.direction), 0) FROM sandbox_charge
            JOIN unnest($3::text[], $4::int[], $5::int[]) AS move (aftermath, seconds, direction) USING (aftermath)
            WHERE tenant_id = $1 AND status = 'paid' AND aftermath_at + seconds * interval '1 second' < $2))::text AS minor`,
      values: [this.#tenantId, time, ...MOVE_COLUMNS],
    });
    return BigInt(rows[0]?.minor ?? 0);
  }
}

function boundsOf(day: string): readonly [from: Date, to: Date] {
  const first = Temporal.PlainDate.from(day);
  return [new Date(startOfDay(first)), new Date(startOfDay(first.add({ days: 1 })))];
}

function lineOfCharge(charge: SandboxChargeRow, day: string): StatementLine {
  const { reference, amountMinor, paidAt } = charge;
  const id = receiptIdOf(reference);
  const own = { id, kind: "received", amountMinor, at: paidAt ?? null, text: "received" } as const;
  return lineOf(own, reference, day);
}

function lineOfFee({ reference, paidAt }: SandboxChargeRow, feeMinor: bigint, day: string): StatementLine {
  const id = feeIdOf(reference);
  const own = { id, kind: "fee", amountMinor: -feeMinor, at: paidAt ?? null, text: "fee" } as const;
  return lineOf(own, reference, day);
}

function lineOfRefund(
  { refundId, reference, amountMinor, createdAt }: SandboxRefundRow,
  day: string,
): StatementLine {
  const own = {
    id: refundId,
    kind: "refund",
    amountMinor: -amountMinor,
    at: createdAt,
    text: "refund",
  } as const;
  return lineOf(own, reference, day);
}

function lineOfMove(
  { reference, amountMinor }: SandboxChargeRow,
  { id, at, isBack }: Move,
  day: string,
): StatementLine {
  const text = isBack ? "reversal" : "return";
  const own = { id, kind: "return", amountMinor: isBack ? amountMinor : -amountMinor, at, text } as const;
  return lineOf(own, reference, day);
}

function lineOf(
  own: Pick<StatementLine, "id" | "kind" | "amountMinor" | "at" | "text">,
  reference: string,
  day: string,
): StatementLine {
  return {
    ...own,
    currency: "BRL",
    day,
    reference,
    endToEndId: null,
    providerPaymentId: receiptIdOf(reference),
    installment: null,
    settlementId: null,
    balanceMinor: null,
    raw: JSON.stringify([own.kind, own.id, String(own.amountMinor), own.at]),
  };
}
