import type { LiveMerchant, LiveService, Started } from "../../../test/provider-accounts/live-merchant.ts";
import type { Bank } from "../../bank/bank.ts";
import type { Random } from "../random.ts";
import { Tally } from "./tally.ts";

const AMOUNT_MINOR = { low: 100, high: 500_000 } as const;
const NAMES = [
  "right",
  "right",
  "right",
  "right",
  "right",
  "right",
  "right",
  "last second",
  "never",
  "wrong, then right",
  "twice",
  "late",
  "beside",
] as const;

/** How money goes back. */
const GIVEN_BACK = [
  "refund",
  "refund of a part",
  "return",
  "refund and return",
  "return by MED",
  "return without times",
] as const;
/** What the bank does of it by itself, as its answers say it. */
const BY_BANK: Readonly<Partial<Record<string, Parameters<Bank["returnByBank"]>[3]>>> = {
  return: {},
  "refund and return": {},
  "return by MED": { status: "DEVOLUCAO_MED" },
  "return without times": { isWithoutTimes: true },
};
const GIVES_BACK = 0.25;

/** A payer: what is asked of him, and what he does. */
export interface Payment extends Started {
  readonly amountMinor: bigint;
  readonly does: (typeof NAMES)[number];
}

/** Starts payments, has them paid in many ways, and gives money back. */
export class Payers {
  /** How many payers did what, and how often money went back. */
  readonly done = new Tally(NAMES);
  readonly givenBack = new Tally(GIVEN_BACK);
  readonly #live: LiveService;
  readonly #merchant: LiveMerchant;
  readonly #random: Random;

  constructor(live: LiveService, merchant: LiveMerchant, random: Random) {
    this.#live = live;
    this.#merchant = merchant;
    this.#random = random;
  }

  async start(): Promise<Payment> {
    const { low, high } = AMOUNT_MINOR;
    const amount = this.#random.integer(low, high);
    const does = this.#random.pick(NAMES);
    this.done.add(does);
    const started = await this.#merchant.start({ amount, campaign: this.#random.fraction() < 0.3 });
    const { body } = await this.#merchant.api.get(`/v1/payments/${started.paymentId}`);
    return { ...started, amountMinor: BigInt(body.gross_amount), does };
  }

  /** Pays, if the page shows a code. Returns what is to be done after the charge's end. */
  async pay({ payer, reference, amountMinor, does }: Payment): Promise<(() => void) | undefined> {
    const { bank, service } = this.#live;
    const { payment } = await payer.session();
    if (payment?.pixCode === undefined || does === "never") return undefined;
    if (!payment.pixCode.includes(bank.charge(reference).location)) throw new Error("a wrong code was shown");
    const end = Number(payment.expiresAt?.seconds ?? 0n) * 1000;
    const isOther = this.#random.fraction() < 0.5;
    if (does === "last second") return () => void bank.pay(reference, amountMinor, new Date(end - 1000));
    if (does === "late") return () => void bank.pay(reference, amountMinor, new Date(end + 61_000));
    if (does === "beside") {
      bank.payKey(amountMinor, isOther ? { txid: reference } : {});
      return undefined;
    }
    if (does === "wrong, then right") bank.pay(reference, amountMinor + (isOther ? 1n : -1n));
    bank.pay(reference, amountMinor);
    if (does === "twice" && isOther) bank.pay(reference, amountMinor);
    if (does === "twice" && !isOther) {
      const later = new Date(service.clock.nowMs() + 1_800_000);
      return () => void bank.pay(reference, amountMinor, later);
    }
    return undefined;
  }

  /** Gives a part or all of some money back: by the merchant's request, or by the bank itself. */
  async giveBack(payment: Payment): Promise<void> {
    if (this.#random.fraction() >= GIVES_BACK) return;
    const way = this.givenBack.rarest(GIVEN_BACK, (one) => one, this.#random);
    const isRefunded = !way.startsWith("refund") || (await this.#refund(payment, way !== "refund"));
    const byBank = BY_BANK[way];
    const isReturned = byBank === undefined || this.#returnAtBank(payment, byBank);
    if (isRefunded && isReturned) this.givenBack.add(way);
  }

  /** Returns true if the merchant's request was taken. */
  async #refund({ paymentId, amountMinor }: Payment, isPart: boolean): Promise<boolean> {
    const given = isPart ? { amount: Number(amountMinor / 2n) } : {};
    const { status } = await this.#merchant.api.post(`/v1/payments/${paymentId}/refunds`, given);
    return status === 201;
  }

  /** Returns true if there was money left that could go back. */
  #returnAtBank({ reference }: Payment, as: Parameters<Bank["returnByBank"]>[3]): boolean {
    const { bank } = this.#live;
    const money = [...bank.account().money.values()].find(({ txid }) => txid === reference);
    if (!money) return false;
    const counted = money.returns.filter(({ status }) => status !== "NAO_REALIZADO");
    const left = counted.reduce((rest, { amountMinor }) => rest - amountMinor, money.amountMinor);
    if (left <= 1n) return false;
    bank.returnByBank(money.endToEndId, left / 2n, undefined, as);
    return true;
  }
}
