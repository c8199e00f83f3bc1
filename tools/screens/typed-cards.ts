import { createClient } from "@connectrpc/connect";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { TestBank } from "../../test/api-pix/connected.ts";
import { connectPagarme, KEYS, type PagarmeMerchant } from "../../test/live-cards/pagarme-merchant.ts";
import { configAt } from "../../test/provider-accounts/live-merchant.ts";
import { startPagarme } from "../../test/support/pagarme/pagarme.ts";
import { Payer } from "../../test/support/payer.ts";
import type { TestService } from "../../test/support/service.ts";
import { PRODUCT } from "./texts.ts";

/** Sessions of live mode whose page has the form of a card at a simulated Pagar.me. */
export interface TypedCards {
  /** Opens one of a merchant who takes Pix too, or of one who takes cards alone, and returns the form's address. */
  readonly open: (merchant: "besidePix" | "alone") => Promise<string>;
  close(): Promise<void>;
}

/** Connects two merchants. */
export async function typedCards(service: TestService, bank: TestBank): Promise<TypedCards> {
  const pagarme = await startPagarme({
    accounts: [{ ...KEYS, isAntifraudOn: true, domains: ["127.0.0.1"] }],
  });
  pagarme.clock.set(new Date(service.clock.nowMs()));
  const [alone, both] = [
    await connectPagarme({ service, pagarme }),
    await connectPagarme({ service, pagarme }),
  ];
  await createClient(ProvidersService, service.core.transport).putProviderAccount(
    { kind: ProviderKind.PIX, profile: "bacen", config: configAt(bank) },
    both.as,
  );
  const formOf = async ({ newLink }: PagarmeMerchant): Promise<string> => {
    const id = await newLink({ ...PRODUCT, amount: 999_999_999, max_installments: 1 });
    const payer = new Payer(service, id);
    await payer.open();
    return `/pay/${id}/${payer.sessionId}?way=card-1`;
  };
  return {
    open: async (merchant) => await formOf(merchant === "alone" ? alone : both),
    close: async () => await pagarme.stop(),
  };
}
