import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { describe, expect, test } from "vitest";
import { isCoreUnavailable, PublicError, toPublicError } from "../../../gateway/transcode/errors.ts";
import { exactNumber } from "../../../gateway/transcode/exact-number.ts";

/** An error of the core's, as a client gets it. */
function ofCore(
  reason: string,
  { domain = "paylink", code = Code.FailedPrecondition, param = "", headers = {} } = {},
): ConnectError {
  const metadata: Record<string, string> = param === "" ? {} : { param };
  const value = { reason, domain, metadata };
  return new ConnectError("Said by the core.", code, headers, [{ desc: ErrorInfoSchema, value }]);
}

const shown = (error: unknown): unknown[] => {
  const { code, status, message, param, replayOf } = toPublicError(error);
  return [code, status, message, param, replayOf];
};

const INTERNAL = [
  "internal_error",
  500,
  expect.stringContaining("send the request again with the same Idempotency-Key"),
  null,
  undefined,
];

describe("the public form of an error", () => {
  test("is its own, where it has one", () => {
    const error = new PublicError("quote_expired", "The quote has expired.", "quote_id");
    expect(toPublicError(error)).toBe(error);
    expect(error.toJson("req_1")).toBe(
      '{"error":{"code":"quote_expired","message":"The quote has expired.","param":"quote_id","request_id":"req_1"}}',
    );
  });

  test("is the core's own code and text, with what it is about", () => {
    const error = ofCore("quote_consumed", { param: "quote_id" });
    expect(shown(error)).toEqual(["quote_consumed", 400, "Said by the core.", "quote_id", undefined]);
    expect(shown(ofCore("not_found"))).toEqual(["not_found", 404, "Said by the core.", null, undefined]);
  });

  test("names the original request of a replay, and of a replay alone", () => {
    const requestId = { "paylink-request-id": "req_1" };
    const replayed = ofCore("not_found", { headers: { ...requestId, "idempotent-replay": "true" } });
    expect(toPublicError(replayed).replayOf).toBe("req_1");
    expect(toPublicError(ofCore("not_found", { headers: requestId })).replayOf).toBeUndefined();
    const nameless = ofCore("not_found", { headers: { "idempotent-replay": "true" } });
    expect(toPublicError(nameless).replayOf).toBeUndefined();
  });

  test("shows nothing that is not public", () => {
    expect(shown(new Error("secret"))).toEqual(INTERNAL);
    expect(shown({ findDetails: 1 })).toEqual(INTERNAL);
    expect(shown(new ConnectError("secret", Code.Internal))).toEqual(INTERNAL);
    expect(shown(ofCore("not_found", { domain: "elsewhere" }))).toEqual(INTERNAL);
    expect(shown(ofCore("toString"))).toEqual(INTERNAL);
  });

  test("shows that the core cannot be reached, or takes too long", () => {
    const unavailable = [
      "service_unavailable",
      503,
      "The service is not available now: try again in a moment.",
      null,
      undefined,
    ];
    const late = [
      "timeout",
      504,
      "The request took too long: send it again with the same Idempotency-Key, and it is done once.",
      null,
      undefined,
    ];
    expect(shown(new ConnectError("secret", Code.Unavailable))).toEqual(unavailable);
    expect(shown(new ConnectError("secret", Code.DeadlineExceeded))).toEqual(late);
  });
});

test("the core itself answered that it cannot serve only if that is its own reason", () => {
  const code = Code.Unavailable;
  expect(isCoreUnavailable(ofCore("service_unavailable", { code }))).toBe(true);
  expect(isCoreUnavailable(ofCore("service_unavailable", { code, domain: "elsewhere" }))).toBe(false);
  expect(isCoreUnavailable(ofCore("timeout", { code }))).toBe(false);
  expect(isCoreUnavailable(new ConnectError("", code))).toBe(false);
  expect(isCoreUnavailable(new Error("service_unavailable"))).toBe(false);
  const other = { desc: ErrorInfoSchema, value: { reason: "other", domain: "elsewhere" } };
  const own = { desc: ErrorInfoSchema, value: { reason: "service_unavailable", domain: "paylink" } };
  expect(isCoreUnavailable(new ConnectError("", code, {}, [other, own]))).toBe(true);
});

test.each([
  ["0", 0],
  ["-0.0", -0],
  ["000", 0],
  ["1.50", 1.5],
  ["1005", 1005],
  ["0.001", 0.001],
  ["0.1e-2", 0.001],
  ["10.50", 10.5],
  ["100e-2", 1],
  ["1e20", 1e20],
  ["1E+2", 100],
  ["1e400", undefined],
  ["1e-400", undefined],
  ["12345678901234567890", undefined],
  [`1.${"0".repeat(398)}`, 1],
  [`1.${"0".repeat(399)}`, undefined],
])("the number %s is exactly %d", (text, number) => {
  expect(exactNumber(text)).toBe(number);
});
