import { SandboxAction } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../../contract/ids.ts";
import { Payer } from "../../support/payer.ts";
import { LINK, type Scenes } from "./scenery.ts";

export const checkoutScenes: Scenes = {
  OpenSession: async (as, { checkout, merchant, rows }) => {
    const linkId = await merchant.newLink();
    const first = await checkout.openSession({ linkId }, as);
    const [row] = await rows.read("SELECT price_list_id AS id FROM test.checkout_session WHERE id = $1", [
      first.sessionId,
    ]);
    return [String(row?.["id"])];
  },
  CountVisits: async (as, { checkout, merchant }) => {
    const linkId = await merchant.newLink();
    await checkout.countVisits({ linkId, pageCount: 1 }, as);
    return [linkId];
  },
  StartPayment: async (as, { checkout, newPayer }) => {
    const [, asked] = await newPayer();
    const { paymentId } = await checkout.startPayment({ ...asked, paymentMethod: PaymentMethod.PIX }, as);
    // The sandbox writes what a provider would.
    return [paymentId];
  },
  "StartPayment by a card that is approved": async (as, { checkout, newPayer }) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_approved", installments: 1 };
    const { paymentId } = await checkout.startPayment({ ...asked, ...card }, as);
    return [paymentId, paymentId];
  },
  "StartPayment by a card that is declined": async (as, { checkout, newPayer }) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_card_declined", installments: 1 };
    const { paymentId } = await checkout.startPayment({ ...asked, ...card }, as);
    return [paymentId, paymentId];
  },
  "StartPayment by a card with a challenge": async (as, { checkout, newPayer }) => {
    const [, asked] = await newPayer();
    const card = { paymentMethod: PaymentMethod.CARD, cardToken: "tok_challenge", installments: 1 };
    const { paymentId } = await checkout.startPayment({ ...asked, ...card }, as);
    return [paymentId, ""];
  },
  RefreshPayment: async (as, { checkout, newPayer, rows }) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await rows.run(
      "UPDATE test.sandbox_charge SET status = 'paid', paid_at = created_at WHERE reference = $1",
      [paymentId.replace("_", "")],
    );
    await checkout.refreshPayment(asked, as);
    return [paymentId];
  },
  SimulateProvider: async (as, { checkout, newPayer }) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout.simulateProvider({ ...asked, action: SandboxAction.APPROVE }, as);
    return [paymentId];
  },
  "SimulateProvider with a refusal": async (as, { checkout, newPayer }) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout.simulateProvider({ ...asked, action: SandboxAction.DECLINE }, as);
    return [paymentId];
  },
  "SimulateProvider with an expiry": async (as, { checkout, newPayer }) => {
    const [payer, asked] = await newPayer();
    const { paymentId } = await payer.start();
    await checkout.simulateProvider({ ...asked, action: SandboxAction.EXPIRE }, as);
    return [paymentId];
  },
  "RecordReceipt of the right amount": async (as, { checkout, newPayer }) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const reference = paymentId.replace("_", "");
    const { amount } = LINK;
    await checkout.recordReceipt({ reference, amount, providerPaymentId: newId("req") }, as);
    return [paymentId];
  },
  RecordReceipt: async (as, { checkout, newPayer }) => {
    const [payer] = await newPayer();
    const { paymentId } = await payer.start();
    const reference = paymentId.replace("_", "");
    const { exceptionId } = await checkout.recordReceipt(
      { reference, amount: 1n, providerPaymentId: newId("req") },
      as,
    );
    return [exceptionId];
  },
  GetPayerDetails: async (as, { checkout, merchant, service }) => {
    const payer = new Payer(service, await merchant.newLink({ collect_fields: ["phone"] }));
    await payer.open();
    const { paymentId } = await payer.start({ payer: { phone: "11 91234-5678" } });
    await checkout.getPayerDetails({ paymentId }, as);
    return [paymentId];
  },
  ErasePayerDetails: async (as, { checkout, merchant, service }) => {
    const payer = new Payer(service, await merchant.newLink({ collect_fields: ["phone"] }));
    await payer.open();
    const { paymentId } = await payer.start({ payer: { phone: "11 91234-5678" } });
    await payer.simulate(SandboxAction.APPROVE);
    await checkout.erasePayerDetails({ paymentId }, as);
    return [paymentId];
  },
};
