import { afterEach, describe, expect, test } from "vitest";
import { PaymentStatus, DeclineCode } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { payerText } from "../../src/providers/text-rules.ts";
import { connectMerchant, startLive } from "../provider-accounts/live-merchant.ts";
import { forFile } from "../support/for-file.ts";

const live = await forFile(startLive());
const merchant = await connectMerchant(live);
afterEach(() => {
  live.bank.faults.clear();
  live.bank.requests.length = 0;
  live.service.faults.length = 0;
});

const refusal = (status: number) => ({ kind: "text", status, text: '{"title":"recusado"}' }) as const;
const textsAsked = () =>
  live.bank.requests.flatMap(({ call, text }) =>
    call === "createCharge"
      ? [(JSON.parse(text) as { solicitacaoPagador?: string }).solicitacaoPagador ?? null]
      : [],
  );

describe("a PIX charge that its bank refuses", () => {
  test("input 20: is asked for a second time without its text, and the payer has the code", async () => {
    live.bank.fail("createCharge", refusal(400));
    const { payer } = await merchant.start({ description: "Pão de queijo 🧀" });
    expect(textsAsked()).toEqual(["Pão de queijo 🧀", null]);
    expect((await payer.session()).payment?.pixCode).toContain("br.gov.bcb.pix");
  });

  test("input 21: twice fails, the page says so, and the payer can have another one made", async () => {
    live.bank.fail("createCharge", refusal(422), 2);
    const { payer, paymentId } = await merchant.start();
    const { payment } = await payer.session();
    expect(payment).toMatchObject({
      status: PaymentStatus.FAILED,
      failureCode: DeclineCode.PAYMENT_DECLINED,
    });
    expect(await merchant.status(paymentId)).toBe("failed");
    const { linkId } = await payer.page();
    const url = `/pay/${linkId}/${payer.sessionId}`;
    const { body } = await live.service.gateway.inject({ url, headers: { "accept-language": "en" } });
    expect(body).toContain("did not accept to make this Pix code");
    expect(body).toContain(`action="${url}/payments"`);
    expect(body).toContain("Get a new code · ");
    // Nobody asks for it again, and another start is another charge.
    const before = textsAsked().length;
    live.service.clock.advance(30);
    await live.service.core.tasks.checkCharges();
    expect(textsAsked()).toHaveLength(before);
    await payer.start();
    expect((await payer.session()).payment?.pixCode).toContain("br.gov.bcb.pix");
  });

  test("as another request for it is under way is no end: it is asked for again", async () => {
    live.bank.fail("createCharge", refusal(409));
    const { payer, paymentId } = await merchant.start();
    expect(await merchant.status(paymentId)).toBe("pending");
    live.service.clock.advance(30);
    await live.service.core.tasks.checkCharges();
    expect((await payer.session()).payment?.pixCode).toContain("br.gov.bcb.pix");
    live.service.faults.length = 0;
  });

  test("once, and has no answer then, waits for the worker", async () => {
    live.bank.fail("createCharge", refusal(422));
    live.bank.fail("createCharge", { kind: "cut" });
    const { payer, paymentId } = await merchant.start();
    expect(await merchant.status(paymentId)).toBe("pending");
    live.service.clock.advance(3);
    await live.service.core.tasks.checkCharges();
    expect((await payer.session()).payment?.pixCode).toContain("br.gov.bcb.pix");
  });
});

test.each([
  ["Pedido nº 42 — Açaí & Cia. 🧀", "Pedido nº 42 — Açaí & Cia. 🧀"],
  ["A\u0000B\r\nC\u007fD\u2028E\ud800F", "A B C D E F"],
  ["\t", null],
  [null, null],
  ["😀".repeat(150), "😀".repeat(140)],
])("of the text %j banks get %j", (text, taken) => expect(payerText(text)).toBe(taken));
