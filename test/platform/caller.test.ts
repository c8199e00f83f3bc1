import { describe, expect, test } from "vitest";
import { CreateApiKeyRequestSchema, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerEntrySchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { callerFrom, MODES, modeOfField } from "../../src/platform/rpc/caller.ts";
import { newId } from "../../contract/ids.ts";

const FOR = { "paylink-tenant": "ten_1", "paylink-mode": "test" };
const from = (headers: Record<string, string>) => callerFrom(new Headers(headers));

describe("the caller of a request's headers", () => {
  test("has the value of each header", () => {
    const requestId = newId("req");
    const more = { "paylink-request-id": requestId, "idempotency-key": "k", "paylink-actor": "usr_1" };
    expect(from({ ...FOR, ...more })).toEqual({
      tenantId: "ten_1",
      mode: "test",
      requestId,
      idempotencyKey: "k",
      actor: "usr_1",
    });
    expect(from({ ...FOR, "paylink-mode": "live" }).mode).toBe("live");
  });

  test.each([{}, { "idempotency-key": "", "paylink-actor": "" }])(
    "has neither key nor actor from %j, and a request id of its own",
    (more) => {
      const { requestId, ...caller } = from({ ...FOR, ...more });
      expect(caller).toEqual({ tenantId: "ten_1", mode: "test" });
      expect(requestId).toMatch(/^req_[0-9a-z]{26}$/);
    },
  );

  test.each(["", "req_", "req_x", newId("pay")])("does not keep the request id %j", (given) => {
    const { requestId } = from({ ...FOR, "paylink-request-id": given });
    expect(requestId).not.toBe(given);
    expect(requestId).toMatch(/^req_[0-9a-z]{26}$/);
  });

  test.each([
    [{ "paylink-mode": "test" }, "The header paylink-tenant is required."],
    [{ ...FOR, "paylink-tenant": "" }, "The header paylink-tenant is required."],
    [{ "paylink-tenant": "ten_1" }, "The header paylink-mode must be live or test."],
    [{ ...FOR, "paylink-mode": "" }, "The header paylink-mode must be live or test."],
    [{ ...FOR, "paylink-mode": "sandbox" }, "The header paylink-mode must be live or test."],
  ])("is refused from %j: invalid_request", (headers, message) => {
    expect(() => from(headers)).toThrow(
      expect.objectContaining({ code: "invalid_request", param: null, message }),
    );
  });

  test("has a key of at most 255 characters, each counted once however many bytes it takes", () => {
    const inBytes = (text: string) => Buffer.from(text).toString("latin1");
    for (const key of ["k".repeat(255), inBytes("é".repeat(255))])
      expect(from({ ...FOR, "idempotency-key": key }).idempotencyKey).toBe(key);
    const refusal = {
      code: "invalid_idempotency_key",
      message: "Idempotency-Key has 256 characters: it must have at most 255.",
    };
    for (const key of ["k".repeat(256), inBytes("é".repeat(256))])
      expect(() => from({ ...FOR, "idempotency-key": key })).toThrow(expect.objectContaining(refusal));
  });

  test("has an encoded key of as many characters, whatever bytes their last eight bits would be", () => {
    // In Latin-1 four of them are one character of UTF-8.
    const [four, other] = ["\u4EF0\u4E9F\u4E98\u4E80", "\u4E00"];
    const encoded = (key: string) => from({ ...FOR, "paylink-idempotency-key": encodeURIComponent(key) });
    const longest = four.repeat(63) + other.repeat(3);
    expect(encoded(longest).idempotencyKey).toBe(longest);
    for (const key of [longest + other, four.repeat(255), "k\0"]) {
      expect(() => encoded(key)).toThrow(expect.objectContaining({ code: "invalid_idempotency_key" }));
    }
  });
});

describe("the environment that a field names", () => {
  const fieldOf = (schema: typeof CreateApiKeyRequestSchema | typeof LedgerEntrySchema, name: string) => {
    const field = schema.fields.find((each) => each.name === name);
    if (!field) throw new Error(`${schema.typeName} has no field ${name}`);
    return field;
  };
  const mode = fieldOf(CreateApiKeyRequestSchema, "mode");

  test("is live or test, and undefined without a header", () => {
    const named = [Mode.LIVE, Mode.TEST, Mode.UNSPECIFIED, 99, undefined].map((number) =>
      modeOfField(mode, number),
    );
    expect(named).toEqual(["live", "test", undefined, undefined, undefined]);
    expect(MODES).toEqual(["live", "test"]);
  });

  test.each([
    [fieldOf(CreateApiKeyRequestSchema, "name"), "MODE_LIVE"],
    [fieldOf(LedgerEntrySchema, "kind"), 1],
  ])("is none of a field that is no mode", (field, value) => {
    expect(modeOfField(field, value)).toBeUndefined();
  });
});
