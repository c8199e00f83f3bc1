import { describe, expect, test } from "vitest";
import { heldKey, mayBeUsed, readAddresses } from "../../src/identity/api-keys.ts";

const OWNER = {
  tenantId: "ten_1",
  keyId: "key_1",
  mode: "test" as const,
  scopes: ["payments:read"],
  expiresAtMs: null,
};
const NOW_MS = 1_700_000_000_000;
const isUsable = (addresses: string[], address: string): boolean =>
  mayBeUsed(heldKey({ ...OWNER, addresses }), NOW_MS, address);

describe("a key's addresses", () => {
  test.each([
    "203.0.113.7",
    "203.0.113.0/24",
    "0.0.0.0/0",
    "1.2.3.4/32",
    "2001:db8::1",
    "2001:db8::/32",
    "::ffff:1.2.3.4",
    "::/0",
  ])("may be %s", (text) => expect(readAddresses([text])).toEqual([text]));

  test("are kept without the blanks around them, in their order", () => {
    expect(readAddresses([" 203.0.113.7\t", "2001:db8::/32\n"])).toEqual(["203.0.113.7", "2001:db8::/32"]);
  });

  test.each(["banana", "127.1", "0x7f000001", "1.2.3.4/33", "1.2.3.4/", "::1/129", "::ffff:1.2.3.0/120", ""])(
    "may not be %j: invalid_request on addresses, which is named",
    (text) => {
      const message = `addresses must be IP addresses or networks such as 203.0.113.0/24: "${text}" is neither.`;
      const refusal = { code: "invalid_request", param: "addresses", message };
      expect(() => readAddresses(["203.0.113.7", text])).toThrow(expect.objectContaining(refusal));
    },
  );
});

describe("a key may be used", () => {
  test("from anywhere when it has no addresses", () => {
    for (const address of ["203.0.113.7", "unknown", ""]) expect(isUsable([], address)).toBe(true);
  });

  test.each([
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.7", "203.0.113.6", false],
    ["203.0.113.7", "::ffff:203.0.113.7", true],
    ["203.0.113.7", "2001:db8::1", false],
    ["203.0.113.7", "unknown", false],
    ["::ffff:203.0.113.7", "203.0.113.7", true],
    ["203.0.113.0/24", "203.0.113.255", true],
    ["203.0.113.0/24", "203.0.114.0", false],
    ["203.0.113.0/24", "::1", false],
    ["2001:db8::1", "2001:db8::1", true],
    ["2001:db8::1", "2001:db8::2", false],
    ["2001:db8::1", "203.0.113.7", false],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["2001:db8::/32", "", false],
  ])("that has %s, from %j: %s", (kept, address, usable) => {
    expect(isUsable([kept], address)).toBe(usable);
    expect(isUsable(["192.0.2.1", kept], address)).toBe(usable);
  });

  test("until the millisecond before it expires, from its addresses alone", () => {
    const key = heldKey({ ...OWNER, addresses: ["192.0.2.1"], expiresAtMs: NOW_MS });
    const uses = [
      [NOW_MS - 1, "192.0.2.1"],
      [NOW_MS - 1, "192.0.2.2"],
      [NOW_MS, "192.0.2.1"],
      [NOW_MS + 1, "192.0.2.1"],
    ] as const;
    expect(uses.map(([nowMs, address]) => mayBeUsed(key, nowMs, address))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
