import { isMessage, type Message } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PublicError } from "../../../gateway/transcode/errors.ts";
import { compileQueryReader, refuseQuery } from "../../../gateway/transcode/query-reader.ts";
import {
  GetPaymentRequestSchema,
  ListPaymentsRequestSchema,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";

const readList = compileQueryReader(ListPaymentsRequestSchema, new Set());

function attempt(run: () => Message): Message | PublicError {
  try {
    return run();
  } catch (error) {
    if (error instanceof PublicError) return error;
    throw error;
  }
}

describe("a query becomes a message", () => {
  const queries: [string, object][] = [
    ["", {}],
    ["&", {}],
    ["from=2026-01-01&to=2026-01-31", { from: "2026-01-01", to: "2026-01-31" }],
    ["limit=100", { limit: 100 }],
    ["limit=0", { limit: 0 }],
    ["limit=-1", { limit: -1 }],
    ["li%6dit=5", { limit: 5 }],
    ["starting_after=a%20b+c%26%3D%2B", { startingAfter: "a b c&=+" }],
    ["starting_after=a=b", { startingAfter: "a=b" }],
    ["starting_after=%F0%9F%98%80", { startingAfter: "😀" }],
    ["starting_after=", { startingAfter: "" }],
    ["starting_after", { startingAfter: "" }],
  ];
  test.each(queries)("%j", (query, expected) => {
    const { $typeName, ...fields } = readList(query);
    expect($typeName).toBe("paylink.ledger.v1.ListPaymentsRequest");
    expect(fields).toEqual(expected);
  });
});

describe("what is refused", () => {
  const refused: [string, string, string | null][] = [
    ["x=1", "unknown_parameter", "x"],
    ["=1", "unknown_parameter", ""],
    ["startingAfter=a", "unknown_parameter", "startingAfter"],
    ["limit[]=1", "unknown_parameter", "limit[]"],
    ["__proto__=1", "unknown_parameter", "__proto__"],
    ["toString=1", "unknown_parameter", "toString"],
    ["$typeName=a", "unknown_parameter", "$typeName"],
    ["limit=1&limit=1", "invalid_request", "limit"],
    ["limit=1&%6cimit=2", "invalid_request", "limit"],
    ["from=a&from=", "invalid_request", "from"],
    ["limit=", "invalid_request", "limit"],
    ["limit", "invalid_request", "limit"],
    ["limit=01", "invalid_request", "limit"],
    ["limit=-0", "invalid_request", "limit"],
    ["limit=1e1", "invalid_request", "limit"],
    ["limit=1.0", "invalid_request", "limit"],
    ["limit=+1", "invalid_request", "limit"],
    ["limit=%2B1", "invalid_request", "limit"],
    ["limit=1%0A", "invalid_request", "limit"],
    ["limit=0x10", "invalid_request", "limit"],
    ["limit=2147483648", "invalid_request", "limit"],
    ["limit=99999999999999999999", "invalid_request", "limit"],
    ["from=%zz", "invalid_request", null],
    ["from=%", "invalid_request", null],
    ["from=%ff", "invalid_request", null],
    ["from=%00", "invalid_request", null],
    ["%00=a", "invalid_request", null],
  ];
  test.each(refused)("%j: %s, param %s", (query, code, param) => {
    expect(() => readList(query)).toThrow(expect.objectContaining({ name: "PublicError", code, param }));
  });

  test.each([
    ["x=1", "Unknown parameter: remove it."],
    ["limits=1", "Unknown parameter: did you mean limit?"],
    ["startingAfter=a", "Unknown parameter: did you mean starting_after?"],
    ["limit=1&limit=1", "limit is given twice in the query."],
    ["limit=a", "limit must be an integer."],
    ["from=%zz", "The query holds a bad percent escape."],
    ["from=%00", "The query holds a NUL character."],
  ])("%s: %s", (query, message) => {
    expect(() => readList(query)).toThrow(expect.objectContaining({ message }));
  });

  test("a field that the path carries is unknown in the query", () => {
    const readGet = compileQueryReader(GetPaymentRequestSchema, new Set(["id"]));
    expect(() => readGet("id=pay_x")).toThrow(
      expect.objectContaining({ code: "unknown_parameter", param: "id" }),
    );
    expect(readGet("")).toMatchObject({ id: "" });
  });

  test("any parameter, where none is taken", () => {
    expect(() => refuseQuery("")).not.toThrow();
    expect(() => refuseQuery("a=1")).toThrow(
      expect.objectContaining({
        code: "unknown_parameter",
        param: "a",
        message: "Unknown parameter: this request takes none here.",
      }),
    );
    expect(() => refuseQuery("%")).toThrow(expect.objectContaining({ code: "invalid_request", param: null }));
  });

  test("any query gives a message or PublicError; what was encoded is read as it was", () => {
    const raw = fc.string({ unit: fc.constantFrom(..."fromlit=&%+0123[]\u00e9"), maxLength: 30 });
    fc.assert(
      fc.property(raw, (query) => {
        const result = attempt(() => readList(query));
        expect(result instanceof PublicError || isMessage(result, ListPaymentsRequestSchema)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(text, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (startingAfter, limit) => {
        const query = `limit=${limit}&starting_after=${encodeURIComponent(startingAfter)}`;
        expect(readList(query)).toMatchObject({ limit, startingAfter });
      }),
    );
  });
});
