import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../contract/ids.ts";
import { kindsOf } from "../ledger/book-keeper.ts";
import type { Answer } from "../support/api.ts";
import type { DatabaseRows } from "../support/database-rows.ts";
import type { Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import type { TestService } from "../support/service.ts";

/** An event's body as its deliveries carry it. */
interface EventBody {
  readonly type: string;
  readonly reference: string | null;
  readonly data: Readonly<Record<string, object>>;
}

/** A merchant whose payments are refunded, with the sandbox on the other side. */
export class RefundScene {
  readonly #service: TestService;
  readonly #merchant: Merchant;
  readonly #rows: DatabaseRows;
  readonly #payers = new Map<string, Payer>();

  constructor(service: TestService, merchant: Merchant, rows: DatabaseRows) {
    this.#service = service;
    this.#merchant = merchant;
    this.#rows = rows;
  }

  readonly paidByPix = async (link: object = {}): Promise<string> => {
    const payer = new Payer(this.#service, await this.#merchant.newLink(link));
    const paymentId = await payer.payByPix();
    this.#payers.set(paymentId, payer);
    return paymentId;
  };

  async paidByTransfer(): Promise<string> {
    const asked = { amount: 50_000, currency: "BRL", payment_method: "ted" };
    const quote = await this.#merchant.api.post("/v1/quotes", asked);
    const link = await this.#merchant.api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "Car" });
    const payer = new Payer(this.#service, link.body.id);
    await payer.open();
    const { paymentId } = await payer.start({ paymentMethod: PaymentMethod.TED });
    await payer.simulate(SandboxAction.APPROVE);
    return paymentId;
  }

  readonly refund = async (id: string, body: object = {}): Promise<Answer> =>
    await this.#merchant.api.post(`/v1/payments/${id}/refunds`, body);

  readonly paymentOf = async (id: string): Promise<Answer["body"]> =>
    (await this.#merchant.api.get(`/v1/payments/${id}`)).body;

  readonly refundsOf = async (id: string): Promise<Answer["body"]> =>
    (await this.#merchant.api.get(`/v1/payments/${id}/refunds`)).body.data;

  /** The events of a payment, newest first. */
  readonly eventsOf = async (objectId: string): Promise<EventBody[]> => {
    const { webhooks, as } = this.#merchant;
    const { events } = await webhooks.listEvents({ objectId }, as);
    return events.map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as EventBody);
  };

  /** Asks the provider about a payment again. */
  async refresh(id: string): Promise<void> {
    await this.#payers.get(id)?.simulate(SandboxAction.APPROVE);
  }

  async atProvider(id: string, status: "paid" | "waiting"): Promise<void> {
    const sql = "UPDATE test.sandbox_charge SET status = $2, paid_at = created_at WHERE reference = $1";
    await this.#rows.run(sql, [referenceOf(id), status]);
  }

  /** As after a payer's bank contested the payment. */
  async returnedByProvider(id: string, amount: bigint): Promise<void> {
    await this.#rows.run("INSERT INTO test.sandbox_refund VALUES ($1, $2, $3, $4, now())", [
      this.#merchant.tenant.id,
      newId("req"),
      referenceOf(id),
      amount,
    ]);
  }

  /** The money of a payment comes once more. */
  async again(id: string, amount: bigint): Promise<void> {
    await this.#payers.get(id)?.receipt(referenceOf(id), amount, `again-${id}`);
  }

  /** A payment's money that came after its end. */
  async lateMoney(): Promise<{ id: string; paymentId: string }> {
    const payer = new Payer(this.#service, await this.#merchant.newLink({ expires_in: 60 }));
    await payer.open();
    const { paymentId } = await payer.start();
    this.#service.clock.advance(200);
    await this.#service.core.tasks.expireLinks();
    await this.#service.core.tasks.checkCharges();
    await this.atProvider(paymentId, "paid");
    const paidAt = new Date(this.#service.clock.nowMs());
    const reference = referenceOf(paymentId);
    const late = await payer.receipt(reference, 15_990n, `sandbox-${reference}`, paidAt);
    return { id: late.exceptionId ?? "", paymentId };
  }

  /** Runs while the database refuses refunds in a table, as if the process had died before it wrote one. */
  async whileRefused(table: "sandbox_refund" | "ledger_entry", run: () => Promise<void>): Promise<void> {
    const condition = table === "ledger_entry" ? "kind <> 'refund'" : "false";
    await this.#rows.run(`ALTER TABLE test.${table} ADD CONSTRAINT refused CHECK (${condition}) NOT VALID`);
    try {
      await run();
    } finally {
      await this.#rows.run(`ALTER TABLE test.${table} DROP CONSTRAINT refused`);
    }
  }

  /** How many refunds of a payment the provider made, the books have and the events tell. */
  async counts(id: string): Promise<{ made: number; booked: number; sent: number }> {
    const kinds = await kindsOf(this.#merchant, id);
    return {
      made: await this.#rows.count("test.sandbox_refund WHERE reference = $1", [referenceOf(id)]),
      booked: kinds.filter((kind) => kind === "refund").length,
      sent: (await this.eventsOf(id)).filter(({ type }) => type === "refund.succeeded").length,
    };
  }
}

function referenceOf(id: string): string {
  return id.replace("_", "");
}
