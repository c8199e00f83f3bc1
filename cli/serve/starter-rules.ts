import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";

/** A rule without its tenant and mode. Amounts are in the smallest unit of the currency, percentages in ppm. */
interface StarterRule {
  readonly paymentMethod: PaymentMethod;
  readonly currency: "BRL" | "USD";
  readonly percentPpm: bigint;
  readonly fixed: bigint;
  readonly min: bigint;
  readonly max?: bigint;
  readonly surchargePpm: bigint[];
}

const SURCHARGE_12_PPM = 104_900n;

/** Rises linearly from 0 for one installment, through the surcharge for 12, to 21 installments. */
const CARD_SURCHARGE_PPM = Array.from({ length: 21 }, (_, index) => (SURCHARGE_12_PPM * BigInt(index)) / 11n);

const PIX_BRL = { percentPpm: 9900n, fixed: 40n, min: 100n, max: 15_000n, surchargePpm: [] };
const PIX_USD = { percentPpm: 19_900n, fixed: 30n, min: 50n, max: 10_000n, surchargePpm: [] };
const CARD = { percentPpm: 39_900n, fixed: 39n, min: 100n, surchargePpm: CARD_SURCHARGE_PPM };

const BRL: readonly StarterRule[] = [
  { paymentMethod: PaymentMethod.PIX, currency: "BRL", ...PIX_BRL },
  { paymentMethod: PaymentMethod.TED, currency: "BRL", ...PIX_BRL },
  { paymentMethod: PaymentMethod.CARD, currency: "BRL", ...CARD },
];

const USD: readonly StarterRule[] = [
  { paymentMethod: PaymentMethod.PIX, currency: "USD", ...PIX_USD },
  { paymentMethod: PaymentMethod.TED, currency: "USD", ...PIX_USD },
  { paymentMethod: PaymentMethod.CARD, currency: "USD", ...CARD },
];

/** The sets of rules to start with, by name: fees in BRL, in USD (only of what is asked for and paid out in USD), or both. */
export const PRESETS = { brl: BRL, usd: USD, all: [...BRL, ...USD] } as const;
