import { type DeclineCode as CodeEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { CardBrand } from "./card-brand.ts";

/** The reason of a failed payment in the contract. */
type DeclineCode = WordOf<typeof CodeEnum>;

/** Why a payment was declined. It is for internal use only: the contract has what `meaningOf` it returns. */
export interface Decline {
  /**
   * Whose code it is. "own": the service's. "pix": ISO 20022's, of a bank. "abecs": a card issuer's as ABECS has it, by
   * brand. Others are a provider's name.
   */
  readonly source: string;
  /** The card's brand: one code may have several meanings. Null: it is no card's, or not known. */
  readonly brand: CardBrand | null;
  readonly code: string;
  /** The card, where a provider knows it of a new token, too. */
  readonly card?: KnownCard;
}

/** What a provider says of a card by each of its tokens. Nothing can be paid with it. */
export interface KnownCard {
  /** What all tokens of the card have in common. Another holder's card may have the same. */
  readonly key: string;
  /** The holder's name in capital letters; null: it is not known. */
  readonly holder: string | null;
}

/** What a decline means. */
export interface Meaning {
  readonly code: DeclineCode;
  /** False: the brands fine another try with the same card. */
  readonly isReversible: boolean;
  /** True: not the card but the request is at fault, and an operator must know. */
  readonly isOurFault?: true;
}

/** What the codes of one source mean. */
export type Meanings = Readonly<Record<string, Meaning>>;
