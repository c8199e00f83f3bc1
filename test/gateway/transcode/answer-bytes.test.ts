import { type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import {
  DeclineCode,
  ListPaymentsResponseSchema,
  PaymentIntentSchema,
  PaymentSchema,
  PaymentStatus,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  AcceptedLinkSchema,
  CollectField,
  PaymentLinkSchema,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import {
  CreateQuoteResponseSchema,
  FeeHandling,
  ListSigningKeysResponseSchema,
  PaymentMethod,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { at, FX, FX_TEXT, LINK, write } from "./written.ts";

const PAYMENT: MessageInitShape<typeof PaymentSchema> = {
  id: "pay_1",
  linkId: "pl_1",
  status: PaymentStatus.SUCCEEDED,
  createdAt: at(1_767_225_600),
  amount: 55_136n,
  currency: "BRL",
  grossAmount: 55_136n,
  grossCurrency: "BRL",
  feeAmount: 229n,
  feeCurrency: "USD",
  netAmount: 9771n,
  netCurrency: "USD",
  feeHandling: FeeHandling.ABSORB,
  paymentMethod: PaymentMethod.PIX,
  metadata: {},
};
const PAYMENT_TEXT =
  '{"id":"pay_1","link_id":"pl_1","status":"succeeded","reference":null,"created_at":1767225600,"updated_at":null,' +
  '"amount":55136,"currency":"BRL","gross_amount":55136,"gross_currency":"BRL","fee_amount":229,"fee_currency":"USD",' +
  '"net_amount":9771,"net_currency":"USD","fee_handling":"absorb","payment_method":"pix","installments":null,"metadata":{}}';

const SCENARIO = {
  quoteId: "qt_1",
  method: PaymentMethod.CARD,
  installments: 2,
  payerTotal: 100n,
  payerCurrency: "BRL",
  receiverNet: 90n,
  receiverCurrency: "BRL",
  expiresAt: at(1_767_227_400),
  signature: "e30.e30.c2ln",
};

const acceptedLinkText = (fx: string, reference: string): string =>
  '{"id":"pl_1","url":"https://pay.example.test/pay/pl_1","checkout_url":"https://pay.example.test/pay/pl_1",' +
  '"amount":10000,"currency":"USD","payment_method":"card","installments":12,"payer_total":55136,"payer_currency":"BRL",' +
  `"receiver_net":9771,"receiver_currency":"USD",${fx}"payment_intent_id":"pi_1","expires_at":1767312000,"reference":${reference}}`;

const intentText = (country: string, strategy: string, fx: string, reference: string): string =>
  '{"id":"pi_1","mode":"test","status":"created","legal_entity_id":"le_1","amount":1,"currency":"BRL",' +
  `"payer_country":${country},"settlement_term":"D+1","fee_strategy":${strategy},"fx_rate_history_id":${fx},` +
  `"reference":${reference},"metadata":{},"created_at":1767225600}`;

describe("the bytes of every public answer", () => {
  test("PaymentLink with nothing but what is required", () => {
    expect(write(PaymentLinkSchema, LINK)).toBe(
      '{"id":"pl_1","mode":"live","status":"active","checkout_url":"https://pay.example.test/pay/pl_1","amount":15990,' +
        '"currency":"BRL","reference":null,"target_currency":"BRL","charge_currency":"BRL","merchant_payout_currency":"BRL",' +
        '"payment_methods":["pix","card"],"max_installments":12,"fee_handling":"pass_through","expires_at":1767312000,' +
        '"description":null,"product_ref":null,"details":null,"product_images":[],"collect_fields":[],"metadata":{},' +
        '"created":1767225600}',
    );
  });

  test("PaymentLink with everything, that never expires", () => {
    const full = {
      ...LINK,
      mode: Mode.TEST,
      expiresAt: at(0),
      reference: "order-1",
      description: 'Shoes "é"\n',
      productRef: "",
      details: "</script>\u2028",
      productImages: ["https://img.example.test/1"],
      collectFields: [CollectField.PHONE, CollectField.ADDRESS],
      metadata: { b: 1, a: [null, true, -0.5, "x", {}], "": {} },
      notPayableReason: "No payer can pay it.",
    };
    expect(write(PaymentLinkSchema, full)).toBe(
      '{"id":"pl_1","mode":"test","status":"active","checkout_url":"https://pay.example.test/pay/pl_1","amount":15990,' +
        '"currency":"BRL","reference":"order-1","target_currency":"BRL","charge_currency":"BRL","merchant_payout_currency":"BRL",' +
        '"payment_methods":["pix","card"],"max_installments":12,"fee_handling":"pass_through","expires_at":0,' +
        '"description":"Shoes \\"é\\"\\n","product_ref":"","details":"</script>\u2028",' +
        '"product_images":["https://img.example.test/1"],"collect_fields":["phone","address"],' +
        '"metadata":{"b":1,"a":[null,true,-0.5,"x",{}],"":{}},"created":1767225600,' +
        '"not_payable_reason":"No payer can pay it."}',
    );
  });

  test("AcceptedLink with and without a conversion", () => {
    const link = {
      id: "pl_1",
      url: "https://pay.example.test/pay/pl_1",
      checkoutUrl: "https://pay.example.test/pay/pl_1",
      amount: 10_000n,
      currency: "USD",
      paymentMethod: PaymentMethod.CARD,
      installments: 12,
      payerTotal: 55_136n,
      payerCurrency: "BRL",
      receiverNet: 9771n,
      receiverCurrency: "USD",
      paymentIntentId: "pi_1",
      expiresAt: at(1_767_312_000),
    };
    expect(write(AcceptedLinkSchema, link)).toBe(acceptedLinkText("", "null"));
    expect(write(AcceptedLinkSchema, { ...link, fxRateHistoryId: 7n, reference: "r" })).toBe(
      acceptedLinkText('"fx_rate_history_id":7,', '"r"'),
    );
  });

  test("a quote's members are at the top; all numbers are numbers, the rate with six decimals", () => {
    const value = {
      id: "qt_1",
      tenantId: "ten_1",
      mode: Mode.TEST,
      paymentMethod: PaymentMethod.TED,
      installments: 1,
      payerTotal: 55_136n,
      payerCurrency: "BRL",
      receiverNet: 9771n,
      receiverCurrency: "USD",
      fx: FX,
      breakdown: {
        feeHandling: FeeHandling.ABSORB,
        totalFee: { amount: 229n, currency: "USD" },
        serviceFee: {
          finalCents: 229n,
          finalCurrency: "USD",
          percentAmountCents: 199n,
          fixedCents: 30n,
          rawTotalCents: 229n,
          minApplied: false,
          maxApplied: true,
        },
        installmentSurcharge: { amount: 0n, currency: "USD" },
        tax: { iofAmountCents: 0n, iofApplicable: true, iofEnabled: false, iofCurrency: "USD" },
      },
      fxRateHistoryId: 8_419_227n,
      ruleId: "rul_1",
      expiresAt: at(1_767_227_400),
      signature: "e30.e30.c2ln",
      createdAt: at(1_767_225_600),
    };
    expect(write(CreateQuoteResponseSchema, { result: { case: "quote", value } })).toBe(
      '{"id":"qt_1","tenant_id":"ten_1","mode":"test","payment_intent_id":null,"payment_method":"ted","installments":1,' +
        '"payer_total":55136,"payer_currency":"BRL","receiver_net":9771,"receiver_currency":"USD",' +
        `"fx":${FX_TEXT},"breakdown":{"fee_handling":"absorb","total_fee":{"amount":229,"currency":"USD"},` +
        '"service_fee":{"final_cents":229,"final_currency":"USD","percent_amount_cents":199,"fixed_cents":30,' +
        '"raw_total_cents":229,"min_applied":false,"max_applied":true},"installment_surcharge":{"amount":0,"currency":"USD"},' +
        '"tax":{"iof_amount_cents":0,"iof_applicable":true,"iof_enabled":false,"iof_currency":"USD"}},' +
        '"fx_rate_history_id":8419227,"rule_id":"rul_1","expires_at":1767227400,"signature":"e30.e30.c2ln","created_at":1767225600}',
    );
  });

  test("scenarios: a method that is not offered is null, fx is omitted without a conversion", () => {
    const text =
      '{"quote_id":"qt_1","method":"card","installments":2,"payer_total":100,"payer_currency":"BRL","receiver_net":90,' +
      '"receiver_currency":"BRL","expires_at":1767227400,"signature":"e30.e30.c2ln"}';
    expect(
      write(CreateQuoteResponseSchema, {
        result: { case: "scenarios", value: { ted: { ...SCENARIO, fx: FX }, card: [SCENARIO, SCENARIO] } },
      }),
    ).toBe(
      `{"scenarios":{"pix":null,"ted":${text.replace('"expires_at"', `"fx":${FX_TEXT},"expires_at"`)},"card":[${text},${text}]}}`,
    );
    expect(write(CreateQuoteResponseSchema, { result: { case: "scenarios", value: {} } })).toBe(
      '{"scenarios":{"pix":null,"ted":null,"card":[]}}',
    );
  });

  test("Payment without conversion, and a failed one with everything", () => {
    expect(write(PaymentSchema, PAYMENT)).toBe(PAYMENT_TEXT);
    const failed = {
      ...PAYMENT,
      status: PaymentStatus.FAILED,
      reference: "order-1",
      updatedAt: at(1_767_225_601),
      fx: FX,
      paymentMethod: PaymentMethod.CARD,
      installments: 3,
      failureCode: DeclineCode.PAYMENT_DECLINED,
      metadata: { k: "v" },
    };
    expect(write(PaymentSchema, failed)).toBe(
      '{"id":"pay_1","link_id":"pl_1","status":"failed","reference":"order-1","created_at":1767225600,"updated_at":1767225601,' +
        '"amount":55136,"currency":"BRL","gross_amount":55136,"gross_currency":"BRL","fee_amount":229,"fee_currency":"USD",' +
        `"net_amount":9771,"net_currency":"USD","fee_handling":"absorb","fx":${FX_TEXT},"payment_method":"card",` +
        '"installments":3,"failure_code":"payment_declined","metadata":{"k":"v"}}',
    );
  });

  test("ListPayments", () => {
    expect(write(ListPaymentsResponseSchema, {})).toBe('{"data":[],"has_more":false,"next_cursor":null}');
    const page = { data: [PAYMENT, PAYMENT], hasMore: true, nextCursor: "pay_1" };
    expect(write(ListPaymentsResponseSchema, page)).toBe(
      `{"data":[${PAYMENT_TEXT},${PAYMENT_TEXT}],"has_more":true,"next_cursor":"pay_1"}`,
    );
  });

  test("PaymentIntent with and without what is optional", () => {
    const intent = {
      id: "pi_1",
      mode: Mode.TEST,
      status: "created",
      legalEntityId: "le_1",
      amount: 1n,
      currency: "BRL",
      settlementTerm: "D+1",
      metadata: {},
      createdAt: at(1_767_225_600),
    };
    expect(write(PaymentIntentSchema, intent)).toBe(intentText("null", "null", "null", "null"));
    const full = {
      ...intent,
      payerCountry: "BR",
      feeStrategy: { a: 1 },
      fxRateHistoryId: 9n,
      reference: "r",
    };
    expect(write(PaymentIntentSchema, full)).toBe(intentText('"BR"', '{"a":1}', "9", '"r"'));
  });

  test("ListSigningKeys", () => {
    const key = { kty: "OKP", crv: "Ed25519", x: "eA", kid: "k", alg: "EdDSA", use: "sig" };
    expect(write(ListSigningKeysResponseSchema, { keys: [key] })).toBe(
      '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"eA","kid":"k","alg":"EdDSA","use":"sig"}]}',
    );
  });
});
