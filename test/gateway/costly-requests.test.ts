import { afterEach, describe, expect, test, vi } from "vitest";
import { fieldsIn } from "../../gateway/pages/form.ts";
import { ConsoleClient } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const SIGN_IN = "/console/signin";
const NEXT = "next=/console/test/links";

const addressIn = vi.hoisted(() => vi.fn<(entry: string) => string | undefined>());
vi.mock(import("../../contract/network.ts"), async (original) => {
  const network = await original();
  addressIn.mockImplementation(network.addressIn);
  return { ...network, addressIn };
});

const service = await forFile(startService());

afterEach(() => vi.clearAllMocks());

function fields(count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index}=`).join("&");
}

// Strangers may send each of these as often as they like. What follows from its size is small, whatever it holds.
describe("of a stranger's request", () => {
  test.each([
    ["no address", "x,", 1],
    ["no address before one that a proxy wrote", "x,", 2, "192.0.2.7"],
    ["addresses", "::1,", 32],
  ])("X-Forwarded-For is read from its end: %s", async (_, entry, most, last = "") => {
    const headers = { "x-forwarded-for": `${entry.repeat(3000)}${last}` };
    expect((await service.gateway.inject({ url: "/livez", headers })).statusCode).toBe(200);
    expect(addressIn.mock.calls.length).toBeLessThanOrEqual(most);
  });

  test.each(["/console/signin", "/pay/pl_01kabc"])("no cookie is decoded at %s", async (url) => {
    const decode = vi.spyOn(globalThis, "decodeURIComponent");
    const cookie = Array.from({ length: 1000 }, (_, index) => `c${index}=%C3`).join("; ");
    const { statusCode } = await service.gateway.inject({ url, headers: { cookie } });
    expect(statusCode).toBe(url === SIGN_IN ? 200 : 404);
    expect(decode.mock.calls.filter(([text]) => text === "%C3")).toEqual([]);
    decode.mockRestore();
  });

  test.each([
    [199, true],
    [200, false],
  ])("a page's address with %i fields and another is read: %s", async (count, isRead) => {
    const { statusCode, body } = await service.gateway.inject(`${SIGN_IN}?${fields(count)}&${NEXT}`);
    expect(statusCode).toBe(200);
    expect(/name="next" value="\/console\/test\/links"/.test(body)).toBe(isRead);
  });

  test.each([
    [199, 422],
    [200, 403],
  ])("a form with a token and %i other fields is answered %i", async (count, status) => {
    const more = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, ""]));
    expect((await new ConsoleClient(service).post(SIGN_IN, SIGN_IN, more)).statusCode).toBe(status);
  });
});

test("fields are read as forms write them", () => {
  expect({ ...fieldsIn("a=1&b=%C3%A9+x%2B&a=2&c&=&d=%zz") }).toEqual({
    a: ["1", "2"],
    b: "é x+",
    c: "",
    "": "",
    d: "%zz",
  });
  expect(Object.keys(fieldsIn(fields(200)))).toHaveLength(200);
  expect(fieldsIn(fields(201))).toEqual({});
});
