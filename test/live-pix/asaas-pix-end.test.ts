import { expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { configAt, pass, PERSON, startCards } from "../live-cards/card-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { outcomeOf, PAID_ONCE } from "./outcome.ts";

const cards = await forFile(startCards());
const { asaas, service, providers } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service, {}, "live");
const account = { kind: ProviderKind.PIX, profile: "asaas", asaas: configAt(cards) };
await providers.putProviderAccount(account, merchant.as);

test.each([775, 860, 895])(
  "PIX at Asaas that is paid %i s after its start, in time, is a success though no callback comes",
  async (seconds) => {
    // A worker looks between two seconds.
    await pass(cards, 0.3);
    const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    const { paymentId } = await payer.start({ payer: PERSON });
    for (let passed = 0; passed < seconds; passed += 5) await pass(cards, 5);
    const [charge] = asaas.paymentsOf(paymentId.replace("_", ""));
    asaas.pay(charge?.id ?? "");
    for (let passed = seconds; passed < 965; passed++) await pass(cards, 1);
    expect(await outcomeOf(rows, merchant, paymentId)).toEqual(PAID_ONCE);
  },
);
