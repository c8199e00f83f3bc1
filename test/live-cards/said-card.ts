import { findCharge } from "../../src/checkout/repository.ts";
import { openDatabases, type Databases } from "../../src/platform/db/databases.ts";
import { ENTITIES } from "../../src/rooms.ts";
import { NO_ENTRY } from "../../src/platform/rpc/audit-trail.ts";
import { Operations } from "../../src/platform/rpc/operation.ts";
import type { InstallmentFacts, SettlementFacts } from "../../src/providers/card-port.ts";
import type { ReceivablesDeps } from "../../src/receivables/deps.ts";
import { record } from "../../src/receivables/recording.ts";
import type { CardMerchant, CardService } from "./card-merchant.ts";
import { PaidCard } from "./paid-card.ts";

/** Paid cards of a merchant, whose provider says what a test lets it say. */
export class SaidCards {
  /** What was reported of answers that cannot be right. */
  readonly wrong: object[] = [];
  readonly deps: Omit<ReceivablesDeps, "providers">;
  readonly #cards: CardService;
  readonly #merchant: CardMerchant;
  readonly #databases: Databases;

  private constructor(cards: CardService, merchant: CardMerchant, databases: Databases) {
    [this.#cards, this.#merchant, this.#databases] = [cards, merchant, databases];
    const { environments } = databases;
    const { clock } = cards.service;
    this.deps = {
      environments,
      operations: new Operations({ clock, environments, requireTenant: () => undefined }),
      clock,
      log: { error: (details: object) => void this.wrong.push(details) },
      referencesOfMoney: async () => await Promise.resolve([]),
      hasReturns: async () => await Promise.resolve(false),
      recordEvents: () => [],
      onWrongAnswer: () => undefined,
    };
  }

  static async open(cards: CardService, merchant: CardMerchant): Promise<SaidCards> {
    const databases = await openDatabases(cards.service.databaseUrl, ENTITIES);
    return new SaidCards(cards, merchant, databases);
  }

  async pay(installments: number): Promise<SaidCard> {
    const card = await PaidCard.pay(this.#cards, this.#merchant, installments);
    return new SaidCard(this, card, [this.#merchant.tenant.id, card.id]);
  }

  async close(): Promise<void> {
    await this.#databases.close();
  }
}

export class SaidCard {
  readonly card: PaidCard;
  readonly ids: readonly [tenantId: string, paymentId: string];
  readonly #of: SaidCards;

  constructor(of: SaidCards, card: PaidCard, ids: readonly [string, string]) {
    [this.#of, this.card, this.ids] = [of, card, ids];
  }

  /** What the provider says: nothing of its money has moved, but for the changes of the first installment. */
  facts(changes: Partial<InstallmentFacts> = {}): SettlementFacts {
    const installments = this.card.atProvider.map(({ valueMinor }, index) => ({
      installment: index + 1,
      grossMinor: valueMinor,
      feeMinor: 300n,
      anticipationFeeMinor: 0n,
      netMinor: valueMinor - 300n,
      refundedMinor: 0n,
      chargedBackMinor: 0n,
      dueOn: "2027-01-04",
      paidOn: null,
      ...(index === 0 ? changes : {}),
    }));
    return { installments, disputes: [] };
  }

  /** Records it as the worker does. */
  async record(facts: SettlementFacts): Promise<boolean> {
    const { deps } = this.#of;
    const [tenantId, paymentId] = this.ids;
    const charge = await findCharge(deps.environments.live, tenantId, { paymentId });
    if (!charge) throw new Error("there is no charge");
    const mode = "live" as const;
    const call = { tenantId, mode, requestId: "req", idempotencyKey: undefined, audit: NO_ENTRY };
    return await record(deps, call, charge, facts);
  }
}
