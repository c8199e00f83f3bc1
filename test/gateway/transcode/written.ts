import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { messageWriter } from "../../../gateway/transcode/message-writer.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentLinkSchema, PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";

/** A message as the gateway writes it into an answer. */
export function write<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): string {
  return messageWriter(desc)(create(desc, init));
}

export const at = (seconds: number) => timestampFromDate(new Date(seconds * 1000));

export const FX = {
  rate: 5_513_582n,
  base: "USD",
  quote: "BRL",
  lockedAt: at(1_767_225_600),
  validUntil: at(1_767_226_500),
  rateHistoryId: 8_419_227n,
};
export const FX_TEXT =
  '{"rate":5.513582,"base":"USD","quote":"BRL","locked_at":1767225600,"valid_until":1767226500,"rate_history_id":8419227}';

/** With nothing but what is required. */
export const LINK: MessageInitShape<typeof PaymentLinkSchema> = {
  id: "pl_1",
  mode: Mode.LIVE,
  status: PaymentLinkStatus.ACTIVE,
  checkoutUrl: "https://pay.example.test/pay/pl_1",
  amount: 15_990n,
  currency: "BRL",
  targetCurrency: "BRL",
  chargeCurrency: "BRL",
  merchantPayoutCurrency: "BRL",
  paymentMethods: [PaymentMethod.PIX, PaymentMethod.CARD],
  maxInstallments: 12,
  feeHandling: FeeHandling.PASS_THROUGH,
  expiresAt: at(1_767_312_000),
  metadata: {},
  created: at(1_767_225_600),
};
