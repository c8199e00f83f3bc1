import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { Asked, OPERATIONS, VALID, withMember, type Operation } from "../support/asked.ts";
import { MEDIA_BASE } from "../support/core-options.ts";
import { forFile } from "../support/for-file.ts";

const on = await forFile(Asked.start());

test.each(OPERATIONS)("the body that the others differ from is accepted: %s", async (operation) => {
  const answer = await on.postAnew(operation, VALID[operation]);
  expect(answer.status).toBe(operation === "simulate" ? 200 : 201);
});

const text = (length: number): string => "é".repeat(length);
const images = (count: number): string[] => Array.from({ length: count }, () => "https://img.example.test/a");
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

describe("limits, one past the edge: 400 invalid_request with the field as param", () => {
  const card = { payment_methods: ["card"] };
  const edges: [Operation, string, object, object[]][] = [
    ...(["link", "quote", "intent"] as const).map((operation): [Operation, string, object, object[]] => [
      operation,
      "currency",
      { currency: "BRL" },
      [{ currency: "EUR" }, { currency: "brl" }, { currency: "" }],
    ]),
    ["link", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    ["link", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["link", "description", { description: text(500) }, [{ description: text(501) }]],
    ["link", "product_ref", { product_ref: text(255) }, [{ product_ref: text(256) }]],
    ["link", "details", { details: text(500) }, [{ details: text(501) }]],
    [
      "link",
      "max_installments",
      { ...card, max_installments: 21 },
      [{ ...card, max_installments: 22 }, { ...card, max_installments: 0 }, { max_installments: 1 }],
    ],
    ["link", "expires_in", { expires_in: 0 }, [{ expires_in: -1 }, { expires_in: 1e10 }]],
    [
      "link",
      "product_images",
      { product_images: images(5) },
      [{ product_images: images(6) }, { product_images: [text(2049)] }],
    ],
    ["link", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["quote", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    [
      "quote",
      "installments",
      { installments: 21 },
      [{ installments: 22 }, { installments: 0 }, { installments: 2 ** 31 }],
    ],
    ["accept", "name", { name: text(500) }, [{ name: text(501) }, { name: "" }]],
    ["accept", "description", { description: text(500) }, [{ description: text(501) }]],
    ["accept", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["accept", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["accept", "expires_in", { expires_in: 0 }, [{ expires_in: -1 }]],
    ["intent", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    ["intent", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["intent", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["intent", "settlement_term", { settlement_term: "D+365" }, [{ settlement_term: "D+366" }]],
  ];
  test.each(edges)("%s %s", async (operation, param, edge, beyond) => {
    for (const other of beyond) {
      await on.expectRefused(async () => await on.post(operation, { ...VALID[operation], ...other }), {
        param,
      });
    }
    expect((await on.postAnew(operation, { ...VALID[operation], ...edge })).status).toBe(201);
  });

  test("a character counts as one, also two units of UTF-16", async () => {
    const reference = "😀".repeat(255);
    const answer = await on.post("link", { ...VALID.link, reference });
    expect([answer.status, answer.body.reference]).toEqual([201, reference]);
    await on.expectRefused(
      async () => await on.post("link", { ...VALID.link, reference: `${reference}😀` }),
      {
        param: "reference",
      },
    );
  });

  const missing: [Operation, string][] = [
    ["link", "amount"],
    ["link", "currency"],
    ["quote", "amount"],
    ["quote", "currency"],
    ["accept", "name"],
    ["intent", "amount"],
    ["intent", "currency"],
    ["simulate", "outcome"],
  ];
  test.each(missing)("%s without its required %s", async (operation, param) => {
    const body = Object.fromEntries(Object.entries(VALID[operation]).filter(([key]) => key !== param));
    await on.expectRefused(async () => await on.post(operation, body), { param });
  });

  test("media_urls outside the media base, or of no picture", async () => {
    const outside = [
      "https://elsewhere.example.test/a.png",
      `${MEDIA_BASE}.evil.test/a.png`,
      `${MEDIA_BASE}-other/a.png`,
      `${MEDIA_BASE}/../a.png`,
      `${MEDIA_BASE}/%2e%2e/a.png`,
      "javascript:alert(1)",
      `${MEDIA_BASE}/a.png`,
      `${MEDIA_BASE}/${newId("med")}.webp`,
      "",
    ];
    for (const url of outside) {
      await on.expectRefused(async () => await on.post("accept", { ...VALID.accept, media_urls: [url] }), {
        param: "media_urls",
      });
    }
  });

  test.each(["link", "accept", "intent"] as const)(
    "a card number in metadata, and none in reference: %s",
    async (operation) => {
      const post = async (more: object) => await on.post(operation, { ...VALID[operation], ...more });
      for (const metadata of [
        { card: "4111-1111-1111-1111" },
        { "4111 1111 1111 1111": true },
        { order: { items: [1, { paid_by: "visa 4111 1111 1111 1111" }] } },
        { order: 4_111_111_111_111_111 },
      ])
        await on.expectRefused(async () => await post({ metadata }), { param: "metadata" });
      const metadata = { order: "4111-1111-1111-1112", ean: 4_006_381_333_931, imei: "356938035643809" };
      for (const reference of ["4111111111111111", "card 4111 1111 1111 1111", "5555-5555-5555-4444"]) {
        const made = await on.postAnew(operation, { ...VALID[operation], reference, metadata });
        expect([made.status, made.body.reference]).toEqual([201, reference]);
      }
    },
  );

  test("a quote by amount and by intent at once, pix in two installments", async () => {
    const both = { amount: 1, currency: "BRL", payment_intent_id: "pi_x" };
    await on.expectRefused(async () => await on.post("quote", both), { param: "amount" });
    const twice = { ...VALID.quote, payment_method: "pix", installments: 2 };
    await on.expectRefused(async () => await on.post("quote", twice), { param: "installments" });
  });
});

describe("an unknown key in the body returns 400 unknown_parameter with error.param set to the key name", () => {
  const names = [
    "x",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "$typeName",
    "$unknown",
    "",
    "Amount",
    "paymentMethods",
    "target_currency",
    "charge_currency",
    "merchant_payout_currency",
    "mode",
    "tenant_id",
    "id",
    "quote_id",
    "ключ",
  ];
  test.each(OPERATIONS)("%s", async (operation) => {
    for (const name of names) {
      const body = withMember(operation, `${JSON.stringify(name)}:{"a":1}`);
      await on.expectRefused(async () => await on.post(operation, body), {
        code: "unknown_parameter",
        param: name,
      });
    }
  });

  test("it comes before errors of other fields", async () => {
    for (const wrong of [{ amount: 0, currency: "EUR" }, { amount: "a" }, { payment_methods: ["x"] }]) {
      const body = { ...wrong, x: 1 };
      await on.expectRefused(async () => await on.post("link", body), {
        code: "unknown_parameter",
        param: "x",
      });
    }
  });
});
