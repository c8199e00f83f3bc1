import fc from "fast-check";

/** Texts that programs have stumbled over, each for a reason of its own. */
const NAUGHTY: readonly string[] = [
  "",
  " ",
  "\t\r\n",
  "undefined",
  "null",
  "NaN",
  "-0",
  "1e308",
  "0x1F",
  "True",
  "[object Object]",
  "constructor",
  "toString",
  "hasOwnProperty",
  "'; DROP TABLE payment_link; --",
  "$1",
  "%s%n%x",
  "${7*7}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  '" onfocus="alert(1)',
  "&amp;lt;",
  "=1+1",
  "@SUM(A1)",
  "../../etc/passwd",
  "C:\\nul",
  "%00",
  "%c0%ae",
  "a\u0001b",
  "\u007f",
  "\u0085\u2028\u2029",
  "\ufeffmark",
  "\u200b\u200e\u202eevil",
  "\ufffe\uffff",
  "e\u0301 é",
  "ﬀ İ ı ß ẞ",
  "Ω≈ç√∫ 田中 الله עִבְרִית",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "𝒯𝑒𝓍𝓉",
  "Z\u0351\u036b\u0343\u036a\u0302",
  "\\u0041\\",
  '\\"',
  "a,b;c|d",
];

/** Enough digits to read as a card's number, which is refused. */
const MANY_DIGITS = /(?:\p{Nd}\P{L}*){10}/u;

/** A text that JSON and the database can hold as it is, and that is not taken for a card's number. */
export function texts(maxLength: number): fc.Arbitrary<string> {
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constantFrom(...NAUGHTY) },
      fc.string({ unit: "binary", maxLength: Math.min(maxLength, 24) }),
      fc.string({ unit: "grapheme", maxLength: Math.min(maxLength, 12) }),
    )
    .filter(
      (text) =>
        text.isWellFormed() &&
        !text.includes("\0") &&
        !MANY_DIGITS.test(text) &&
        Array.from(text).length <= maxLength,
    );
}

/** A free object: few members, any text, numbers that a double holds exactly. */
export function freeObjects(): fc.Arbitrary<Record<string, never>> {
  const scalar = fc.oneof(
    texts(24),
    fc.boolean(),
    fc.constant(null),
    fc.integer({ min: -999_999, max: 999_999 }),
    fc.constantFrom(0.1, -1.5, 1e20, 5e-324),
  );
  const name = texts(16).filter((text) => text !== "__proto__" && !text.startsWith("svc_"));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<
    Record<string, never>
  >;
}
