import { mostInstallments } from "./card-port.ts";
import type { Providers } from "./directory.ts";

/** What a tenant's accounts can charge. Amounts are in centavos. */
export interface AccountLimits {
  /** The methods that have an account. */
  readonly methods: readonly ("pix" | "card" | "ted")[];
  /** The least amount by PIX; 0: any, or there is no account. */
  readonly pixLeastMinor: bigint;
  /** Undefined: there is no account for cards. */
  readonly card: CardLimits | undefined;
}

interface CardLimits {
  /** The most installments, of the brand that takes most. */
  readonly installments: number;
  /** The least amount of an installment. */
  readonly leastInstallmentMinor: bigint;
}

/** Returns what the accounts of these providers can charge. */
export function limitsOf({
  pix,
  card,
  bankAccount,
}: Pick<Providers, "pix" | "card" | "bankAccount">): AccountLimits {
  return {
    methods: [
      ...(pix ? (["pix"] as const) : []),
      ...(card ? (["card"] as const) : []),
      ...(bankAccount ? (["ted"] as const) : []),
    ],
    pixLeastMinor: pix?.leastMinor ?? 0n,
    card: card && {
      installments: mostInstallments(card.terms),
      leastInstallmentMinor: card.terms.leastInstallmentMinor,
    },
  };
}
