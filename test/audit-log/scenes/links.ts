import { SimulatedOutcome } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newId } from "../../../contract/ids.ts";
import { LINK, type Scenes } from "./scenery.ts";

export const linksScenes: Scenes = {
  CreatePaymentLink: async (as, { merchant }) => [
    (await merchant.links.createPaymentLink(LINK, as)).paymentLink?.id,
  ],
  AcceptQuote: async (as, { merchant, pricing }) => {
    const options = { headers: { ...merchant.as.headers, "idempotency-key": newId("req") } };
    const { result } = await pricing.createQuote({ ...LINK, paymentMethod: PaymentMethod.PIX }, options);
    const id = result.case === "quote" ? result.value.id : "";
    return [(await merchant.links.acceptQuote({ id, name: "Chair" }, as)).acceptedLink?.id];
  },
  SimulatePayment: async (as, { merchant }) => {
    const id = await merchant.newLink();
    await merchant.links.simulatePayment({ id, outcome: SimulatedOutcome.SUCCEEDED }, as);
    return [id];
  },
  UpdatePaymentLink: async (as, { merchant }) => {
    const id = await merchant.newLink();
    await merchant.links.updatePaymentLink({ id, description: "Stool" }, as);
    await merchant.links.updatePaymentLink({ id, description: "Stool" }, as);
    return [id];
  },
  ReactivatePaymentLink: async (as, { merchant }) => {
    const id = await merchant.newLink();
    await merchant.links.cancelPaymentLink({ id }, merchant.as);
    await merchant.links.reactivatePaymentLink({ id }, as);
    return [id];
  },
  CancelPaymentLink: async (as, { merchant }) => {
    const id = await merchant.newLink();
    await merchant.links.cancelPaymentLink({ id }, as);
    return [id];
  },
};
