import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { DatabaseRows } from "../../test/support/database-rows.ts";
import { Uploader } from "../../test/support/media.ts";
import type { Merchant } from "../../test/support/merchant.ts";
import { Payer } from "../../test/support/payer.ts";
import { drawn } from "../../test/support/pictures.ts";
import type { TestService } from "../../test/support/service.ts";
import { dayAt } from "../../contract/day.ts";
import { PRODUCT, UNBROKEN } from "./texts.ts";

const DAY_SECONDS = 86_400;
/** How many days there are sales. */
export const DAYS = 9;
const LASTING = { expires_in: 30 * DAY_SECONDS };
const PRODUCTS = [
  "Poltrona giratória com apoio para os pés em couro legítimo envelhecido",
  "Guarda-roupa de casal com seis portas de correr e espelho bisotado",
  "Estante modular de madeira maciça de demolição sob medida",
  "Escrivaninha dobrável de parede",
];
// Centavos: from the least to the most that a payer may pay.
const AMOUNTS = [15_990, 999_999_999, 1_000, 42_685, 1_234_567, 89_900, 7_650_000];

/** What was sold in test mode: ids by what they are an example of. */
export interface Sales {
  readonly links: Readonly<
    Record<"open" | "campaign" | "paid" | "expired" | "cancelled" | "unbroken" | "failed", string>
  >;
  readonly payments: Readonly<Record<"paid" | "refunded" | "failed" | "waiting" | "odd" | "card", string>>;
  readonly exceptionId: string;
  readonly quotes: Readonly<Record<string, string>>;
  /** The first day of payments, which is closed, and the newest, which is not. */
  readonly days: { readonly closed: string; readonly open: string };
}

/** Sells for some days, one after the other, and closes the first ones. */
export async function sales(service: TestService, merchant: Merchant, rows: DatabaseRows): Promise<Sales> {
  const { api, newLink, pay, simulate, ledger, links, as } = merchant;
  const today = (): string => dayAt(service.clock.nowMs()).toString();
  const closed = today();
  const quoteOf = async (given: object): Promise<string> => await newQuote(merchant, given);
  const expired = await newLink({ ...PRODUCT, expires_in: 3600 });
  const oldQuote = await quoteOf({});
  for (let day = 0; day < DAYS; day++) {
    for (const [index, description] of PRODUCTS.entries()) {
      const amount = AMOUNTS[(day + index) % AMOUNTS.length] ?? 100;
      const reference = `PEDIDO-2026-${String(day * 10 + index).padStart(6, "0")}`;
      await pay({ amount, description, reference, max_installments: 12 }, outcomeOf(day + index));
    }
    service.clock.advance(DAY_SECONDS);
    await service.core.tasks.expireLinks();
    await service.core.tasks.settle();
  }
  for (const day of [0, 1, 2]) {
    const at = service.clock.nowMs() - (DAYS - day) * DAY_SECONDS * 1000;
    await ledger.sealDay({ day: dayAt(at).toString() }, as);
  }
  await rows.run(
    "UPDATE test.payment SET metadata = $2 WHERE id = (SELECT min(id) FROM test.payment WHERE tenant_id = $1)",
    [merchant.tenant.id, { nota: "alterada depois do fechamento" }],
  );

  const picture = await drawn(1200, 900).png().toBuffer();
  const { url } = await new Uploader(service, merchant.tenant).upload(
    picture,
    "mesa-de-jantar-extensivel.png",
  );
  const open = await newLink({ ...PRODUCT, ...LASTING, product_images: [url], amount: 999_999_999 });
  const campaign = await newLink({ ...PRODUCT, ...LASTING, campaign: true });
  for (let count = 0; count < 3; count++) await simulate(campaign);
  const unbroken = await newLink({ ...UNBROKEN, ...LASTING, campaign: true });
  await simulate(unbroken);
  const cancelled = await newLink(PRODUCT);
  await links.cancelPaymentLink({ id: cancelled }, as);
  const paid = await newLink({ ...PRODUCT, amount: 999_999_999 });
  const payment = await payerOf(service, paid).payByPix();
  const refunded = (await pay(PRODUCT)).body.id as string;
  for (const amount of [1234, 5000]) {
    const reason = "A cliente desistiu de uma das seis cadeiras depois da entrega";
    await api.post(`/v1/payments/${refunded}/refunds`, { amount, reason });
  }
  await service.core.tasks.checkRefunds();
  const failed = await newLink(PRODUCT);
  const byCard = payerOf(service, await newLink({ ...PRODUCT, amount: 4_268_500, max_installments: 12 }));
  await byCard.open();
  const { paymentId: card } = await byCard.card("tok_approved", 12);
  const waiting = payerOf(service, await newLink(PRODUCT));
  await waiting.open();
  const odd = payerOf(service, await newLink(PRODUCT));
  await odd.open();
  const { paymentId: oddPayment } = await odd.start();
  const { exceptionId = "" } = await odd.receipt(oddPayment.replace("_", ""), 15_989n);
  await odd.simulate(SandboxAction.APPROVE);
  const accepted = await quoteOf({});
  await api.post(`/v1/quotes/${accepted}/accept`, { name: PRODUCT.description });
  return {
    links: { open, campaign, paid, expired, cancelled, unbroken, failed },
    payments: {
      paid: payment,
      refunded,
      failed: (await simulate(failed, { outcome: "failed" })).body.id,
      waiting: (await waiting.start()).paymentId,
      odd: oddPayment,
      card,
    },
    exceptionId,
    quotes: { inDollars: await quoteOf({ amount: 10_000, currency: "USD" }), accepted, expired: oldQuote },
    days: { closed, open: today() },
  };
}

/** Makes a quote, which is open for half an hour. */
export async function newQuote({ api }: Merchant, given: object): Promise<string> {
  const wanted = { amount: 159_901, currency: "BRL", payment_method: "card", installments: 12, ...given };
  return (await api.post("/v1/quotes", wanted)).body.id;
}

function payerOf(service: TestService, link: string): Payer {
  return new Payer(service, link);
}

/** Most pay by Pix, some by card, and some are declined. */
function outcomeOf(index: number): object {
  if (index % 5 === 0) return { outcome: "failed" };
  return index % 3 === 0 ? { payment_method: "card" } : {};
}
