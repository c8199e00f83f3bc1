import { createClient } from "@connectrpc/connect";
import { testBank, type TestBank } from "../../test/api-pix/connected.ts";
import { cardsOf, connectCards } from "../../test/live-cards/card-merchant.ts";
import { days, PaidCard } from "../../test/live-cards/paid-card.ts";
import { configAt } from "../../test/provider-accounts/live-merchant.ts";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { DatabaseRows } from "../../test/support/database-rows.ts";
import { merchantOf } from "../../test/support/merchant.ts";
import type { TestService, TestTenant } from "../../test/support/service.ts";
import { PRODUCT } from "./texts.ts";

/** What live mode has: accounts at a bank and at a card provider, unknown money, and a payment that is contested. */
export interface LiveMoney {
  readonly bankAccountId: string;
  readonly cardAccountId: string;
  readonly unknownId: string;
  readonly linkId: string;
  readonly contestedId: string;
  readonly bank: TestBank;
  close(): Promise<void>;
}

/** Connects the accounts, which are at a simulated bank and a simulated Asaas, and takes a card payment. */
export async function liveMoney(
  service: TestService,
  tenant: TestTenant,
  rows: DatabaseRows,
): Promise<LiveMoney> {
  const cards = await cardsOf(service);
  const merchant = merchantOf(tenant, service, service, "live");
  const connected = await connectCards(cards, undefined, {}, merchant);
  const contested = await PaidCard.pay(cards, connected, 3);
  await days(cards, 0);
  await merchant.api.post(`/v1/payments/${contested.id}/refunds`, { amount: 1234 });
  cards.asaas.anticipate(contested.atProvider[1]?.id ?? "", 250n);
  cards.asaas.chargeback(contested.firstId, { reason: "FRAUD" });
  await contested.tell();

  const made = await testBank();
  made.bank.clock.set(new Date(service.clock.nowMs()));
  const { account } = await createClient(ProvidersService, service.core.transport).putProviderAccount(
    {
      kind: ProviderKind.PIX,
      profile: "bacen",
      label: "Conta corrente da filial de Santana de Parnaíba (recebimentos da loja virtual)",
      config: configAt(made),
    },
    merchant.as,
  );
  const bankAccountId = account?.id ?? "";
  await rows.run(
    `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, txid, amount_minor, received_at, created_at)
      SELECT $1, $2, 'E' || lpad(n::text, 31, '0'), repeat('x', 35), 999999999, $3, $3 FROM generate_series(1, 3) AS n`,
    [tenant.id, bankAccountId, new Date(service.clock.nowMs())],
  );
  const unknownId = `E${"1".padStart(31, "0")}`;
  return {
    bankAccountId,
    cardAccountId: connected.accountId,
    unknownId,
    linkId: await merchant.newLink(PRODUCT),
    contestedId: contested.id,
    bank: made,
    close: async () => {
      await made.bank.stop();
      await cards.asaas.stop();
    },
  };
}
