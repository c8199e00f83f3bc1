import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import type { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { connectCards, PERSON, startCard, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);

const HEADERS = { "content-type": "application/x-www-form-urlencoded" };

async function post(payer: Payer, what: string, form: Record<string, string> = {}) {
  const { linkId } = await payer.page();
  const url = `/pay/${linkId}/${payer.sessionId}/${what}`;
  const payload = new URLSearchParams(form).toString();
  return await service.gateway.inject({ method: "POST", url, headers: HEADERS, payload });
}

describe("a payer on the page of a provider that does not answer", () => {
  test.each([{ kind: "cut" }, { kind: "status", status: 500 }, { kind: "unauthorized" }] as const)(
    "stays with the payment when another option is taken, and takes that one later: %o",
    async (fault) => {
      const { payer, paymentId } = await merchant.start();
      asaas.fail("listPayments", fault);
      expect(await refusalOf(startCard(payer, 2))).toMatchObject({ code: "payment_in_progress" });
      expect(service.faults.splice(0)).toMatchObject([{ payment_id: paymentId }]);
      expect(await merchant.read(paymentId)).toMatchObject({ status: "processing" });
      asaas.fail("listPayments", fault);
      const form = { way: "card-2", name: PERSON.name, document: PERSON.document };
      const { statusCode, headers } = await post(payer, "payments", form);
      expect(statusCode).toBe(303);
      const cookie = String(headers["set-cookie"]).split(";")[0];
      const { body } = await service.gateway.inject({ url: String(headers.location), headers: { cookie } });
      expect(body).toContain(PERSON.name);
      service.faults.length = 0;
      const other = await startCard(payer, 2);
      expect(other.challengeUrl).toBeDefined();
      expect(await merchant.read(paymentId)).toMatchObject({ status: "failed" });
    },
  );

  test("comes back to the page of the payment when they ask for news of it", async () => {
    const { payer, paymentId, reference } = await merchant.start();
    asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");
    asaas.fail("listPayments", { kind: "cut" });
    expect((await post(payer, "refresh")).statusCode).toBe(303);
    expect(service.faults.splice(0)).toMatchObject([{ payment_id: paymentId }]);
    service.clock.advance(10);
    asaas.clock.advance(10);
    expect((await post(payer, "refresh")).statusCode).toBe(303);
    expect(await merchant.read(paymentId)).toMatchObject({ status: "succeeded" });
  });
});
