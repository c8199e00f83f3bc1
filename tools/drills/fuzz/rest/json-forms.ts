import fc from "fast-check";

/** Values that no JSON is, or that the contract refuses wherever they come: each as it is written. */
const BAD_VALUES: readonly string[] = [
  "",
  "nul",
  "TRUE",
  "undefined",
  "NaN",
  "Infinity",
  "-",
  "+1",
  "01",
  "-01",
  ".5",
  "5.",
  "1e",
  "1e+",
  "0x10",
  "1_000",
  "１",
  "'text'",
  "`text`",
  '"open',
  '"tab\tinside"',
  '"line\ninside"',
  String.raw`"\x41"`,
  String.raw`"\u00"`,
  String.raw`"\u{41}"`,
  String.raw`"\uD800"`,
  String.raw`"\uDC00\uD800"`,
  String.raw`"\u0000"`,
  "[1,]",
  "[,1]",
  "[1 2]",
  "[1",
  "1]",
  '{"a":1,}',
  '{"a" 1}',
  '{"a":}',
  "{a:1}",
  "{'a':1}",
  '{"a":1 "b":2}',
  '{"a":1,"a":2}',
  String.raw`{"a":1,"\u0061":2}`,
  "{1:2}",
  "/* */1",
  "1 // one",
  "\u00a01",
  "\u000c1",
  "\ufeff1",
  "1 2",
  `${"[".repeat(40)}${"]".repeat(40)}`,
  "[".repeat(5000),
  '{"a":'.repeat(1000),
];

/** Bytes that are no text in UTF-8. */
const BAD_BYTES: readonly Uint8Array[] = [
  [0xff],
  [0xc0, 0xaf],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0x80],
].map((bytes) => Uint8Array.from(bytes));

/** A body with a fault in its form: wherever it is put, it must be refused. */
export function badForms(valid: object): fc.Arbitrary<Buffer> {
  const text = JSON.stringify(valid);
  const inMember = fc
    .tuple(fc.constantFrom("reference", "metadata", "amount", "x"), fc.constantFrom(...BAD_VALUES))
    .map(([name, value]) => Buffer.from(`${text.slice(0, -1)},"${name}":${value}}`));
  const asWhole = fc.constantFrom(...BAD_VALUES).map((value) => Buffer.from(value));
  const cut = fc.nat({ max: text.length - 1 }).map((length) => Buffer.from(text.slice(0, length)));
  const after = fc.constantFrom("}", "{}", "null", ",", "\0", "x").map((more) => Buffer.from(text + more));
  const bytes = fc
    .tuple(fc.constantFrom(...BAD_BYTES), fc.constantFrom("reference", "details", "name"))
    .map(([bad, name]) =>
      Buffer.concat([Buffer.from(`${text.slice(0, -1)},"${name}":"`), bad, Buffer.from('"}')]),
    );
  const other = fc
    .constantFrom("[]", "1", '"text"', "null", "true", `[${text}]`)
    .map((value) => Buffer.from(value));
  const encoded = fc.constantFrom("utf16le" as const).map((encoding) => Buffer.from(text, encoding));
  return fc.oneof(inMember, asWhole, cut, after, bytes, other, encoded);
}

/** Any JSON, any bytes, and a valid body with one byte changed: some valid, some to be refused. */
export function anyForms(valid: object): fc.Arbitrary<Buffer> {
  const json = fc.json({ maxDepth: 4, stringUnit: "binary" }).map((text) => Buffer.from(text));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  const damaged = fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
    const body = Buffer.from(JSON.stringify(valid));
    body[at % body.length] = byte;
    return body;
  });
  return fc.oneof(json, bytes, damaged);
}
