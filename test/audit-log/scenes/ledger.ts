import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { newId } from "../../../contract/ids.ts";
import { LINK, type Scenes } from "./scenery.ts";

export const ledgerScenes: Scenes = {
  CreatePaymentIntent: async (as, { merchant }) => [
    (await merchant.ledger.createPaymentIntent(LINK, as)).paymentIntent?.id,
  ],
  PutBusinessDay: async (as, { merchant, rows }) => {
    const day = { mode: Mode.TEST, day: "2031-01-02", isBusinessDay: false, reason: "storm" };
    await merchant.ledger.putBusinessDay(day, as);
    const [row] = await rows.read("SELECT id FROM test.business_day_override ORDER BY id DESC LIMIT 1");
    return [String(row?.["id"])];
  },
  SealDay: async (as, { merchant, service }) => {
    const day = new Date(service.clock.nowMs() - 3 * 3_600_000).toISOString().slice(0, 10);
    await merchant.pay();
    service.clock.advance(2 * 86_400);
    await merchant.ledger.sealDay({ day }, as);
    return [day];
  },
  ListSealedRows: async (as, { merchant, sealedDay }) => {
    const day = await sealedDay();
    await merchant.ledger.listSealedRows({ day }, as);
    return [day];
  },
  ListSealDeltas: async (as, { merchant, sealedDay }) => {
    const day = await sealedDay();
    await merchant.ledger.listSealDeltas({ day }, as);
    return [day];
  },
  CheckPayment: async (as, { merchant, newPayer }) => {
    const [payer] = await newPayer();
    const { paymentId: id } = await payer.start();
    await merchant.ledger.checkPayment({ id }, as);
    return [id];
  },
  CreateRefund: async (as, { merchant, refunds }) => {
    const { id } = (await merchant.pay()).body;
    return [(await refunds.createRefund({ id, amount: 1n }, as)).refund?.id];
  },
  EndRefund: async (as, { newPayer, refunds, rows }) => {
    const [payer] = await newPayer();
    const paymentId = await payer.payByPix();
    const id = newId("ref");
    await rows.run(
      `INSERT INTO test.refund (tenant_id, id, payment_id, provider_payment_id, origin, amount_minor, status, fee_rule,
          created_at, check_at, change_count, sent_at)
        SELECT tenant_id, $2, payment_id, provider_payment_id, 'merchant', 1, 'requested', 'merchant', created_at,
          created_at + interval '1 day', 0, to_timestamp(0) FROM test.charge WHERE payment_id = $1`,
      [paymentId, id],
    );
    await rows.run("UPDATE test.payment SET refund_reserved_minor = 1 WHERE id = $1", [paymentId]);
    await refunds.endRefund({ id }, as);
    return [id];
  },
  RefundException: async (as, { newPayer, refunds }) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const { exceptionId: id = "" } = await payer.receipt(paymentId.replace("_", ""), 1n);
    return [(await refunds.refundException({ id }, as)).refund?.id];
  },
};
