import { describe, expect, test } from "vitest";
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

describe("input 3: PIX at Asaas that is seen two minutes after its session", () => {
  const started = async () => {
    const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.open();
    return { payer, ...(await payer.start({ payer: PERSON })) };
  };
  const payIn = (seconds: number, paymentId: string): string => {
    service.clock.advance(seconds);
    asaas.clock.advance(seconds);
    const id = asaas.paymentsOf(paymentId.replace("_", ""))[0]?.id ?? "";
    asaas.pay(id);
    return id;
  };
  const seenAfter = async (seconds: number): Promise<void> => await pass(cards, seconds);

  test("is a success by its own hour, and has its end-to-end id", async () => {
    const { payer, paymentId } = await started();
    const id = payIn(890, paymentId);
    await seenAfter(130);
    expect(await outcomeOf(rows, merchant, paymentId)).toEqual(PAID_ONCE);
    const { payment } = await payer.session();
    expect(payment?.endToEndId).toBe(asaas.payment(id).pixTransaction?.endToEndId);
    expect(payment?.paidAt?.seconds).toBe(BigInt(Math.floor(service.clock.nowMs() / 1000) - 130));
  });

  test("is late if its own hour is after the end", async () => {
    const { paymentId } = await started();
    payIn(965, paymentId);
    await seenAfter(60);
    expect(await outcomeOf(rows, merchant, paymentId)).toMatchObject({ exceptions: ["late 15990 15990"] });
  });

  test.each([
    ["unknown", { kind: "text", status: 404, text: "{}" }],
    ["refused to the key", { kind: "text", status: 403, text: "{}" }],
    ["without an hour", { kind: "text", status: 200, text: '{"effectiveDate":"2026-11-20"}' }],
  ] as const)("is judged by when it is seen while its transaction is %s", async (_how, fault) => {
    const { paymentId } = await started();
    asaas.fail("readPixTransaction", fault, 100);
    payIn(890, paymentId);
    await seenAfter(15);
    expect(await outcomeOf(rows, merchant, paymentId)).toEqual(PAID_ONCE);
    asaas.faults.clear();
  });

  test("is judged once its transaction is answered for", async () => {
    const { paymentId } = await started();
    asaas.fail("readPixTransaction", { kind: "cut" });
    payIn(890, paymentId);
    await seenAfter(130).catch(() => undefined);
    service.faults.length = 0;
    expect((await outcomeOf(rows, merchant, paymentId)).status).not.toBe("succeeded");
    await seenAfter(3600);
    expect(await outcomeOf(rows, merchant, paymentId)).toMatchObject({ status: "succeeded", exceptions: [] });
  });
});
