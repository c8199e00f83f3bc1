import type { DeliveredType } from "../../../contract/event-types.ts";

/** What is made to happen. */
export interface Triggered {
  readonly type: DeliveredType;
  /** Centavos of BRL. */
  readonly amount: bigint;
  /** What happens to cards alone happens to a card. */
  readonly method: "pix" | "card";
}
