import { generate } from "selfsigned";
import { afterAll, describe, expect, test } from "vitest";
import { startBank } from "../../tools/bank/bank.ts";
import type { ApiPixAccount } from "../../src/providers/api-pix/account.ts";
import type { AddressGuard } from "../../src/providers/connection.ts";
import { allowedLookup } from "../../src/platform/outside/outside-address.ts";
import { readEndpointUrl } from "../../src/webhooks/endpoint-address.ts";
import { newAuthority, type Authority } from "../support/certificates.ts";
import { accountAt, CLIENT, connected, faultOf, newReference, OPEN_GUARD, testBank } from "./connected.ts";

const made = await testBank();
afterAll(async () => await made.bank.stop());

/** Issues a client's certificate that ended yesterday. */
async function expired({
  cert,
  key,
}: Authority): Promise<Pick<ApiPixAccount, "identity" | "certificateEndsAt">> {
  const day = 86_400_000;
  const certificateEndsAt = new Date(Date.now() - day);
  const issued = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: { cert, key },
    notBeforeDate: new Date(Date.now() - 2 * day),
    notAfterDate: certificateEndsAt,
  });
  return { identity: { certificate: issued.cert, privateKey: issued.private }, certificateEndsAt };
}

const failureOf = async (given: Partial<ReturnType<typeof accountAt>>, guard?: AddressGuard) => {
  const { provider } = connected(made, { ...accountAt(made), ...given }, guard ? { guard } : {});
  return await faultOf(provider.find(newReference()));
};

describe("a connection", () => {
  test("with a certificate of another authority reaches no call", async () => {
    const { cert, key } = await (await newAuthority("Another CA")).issue();
    const before = made.bank.requests.length;
    const { kind } = await failureOf({ identity: { certificate: cert, privateKey: key } });
    expect(["unknown", "misconfigured"]).toContain(kind);
    expect(made.bank.requests).toHaveLength(before);
  });

  test("case 15: with a certificate that has ended says so", async () => {
    expect(await failureOf(await expired(made.authority))).toEqual({
      kind: "misconfigured",
      code: "certificate_expired",
    });
  });

  test("with a certificate that cannot be read is a wrong account", async () => {
    const identity = { certificate: "no certificate", privateKey: "no key" };
    const unreadable = { kind: "misconfigured", code: "certificate_unreadable" };
    expect(await failureOf({ identity })).toEqual(unreadable);
    const pfx = { pfx: Buffer.from("no archive"), passphrase: "" };
    expect(await failureOf({ identity: pfx })).toEqual(unreadable);
  });

  test("to a bank whose certificate nobody trusts is a wrong account", async () => {
    expect((await failureOf({ ca: null })).kind).toBe("misconfigured");
    expect((await failureOf({ ca: (await newAuthority("Another CA")).cert })).kind).toBe("misconfigured");
  });

  test("case 15: goes on with a rotated certificate", async () => {
    const { cert, key } = await made.authority.issue();
    const { provider } = connected(made, {
      ...accountAt(made),
      identity: { certificate: cert, privateKey: key },
    });
    expect((await provider.find(newReference())).status).toBe("absent");
  });

  test("to an address that is not allowed is never opened", async () => {
    const policy = { isLoopbackAllowed: false };
    const guard: AddressGuard = {
      check: (address) => readEndpointUrl(address, policy),
      lookup: allowedLookup(OPEN_GUARD.lookup, policy),
    };
    const refused = { kind: "misconfigured", code: "ADDRESS_REFUSED" };
    expect(await failureOf({}, guard)).toEqual(refused);
    expect(await failureOf({}, { ...guard, check: (address) => new URL(address) })).toEqual(refused);
    // The person who reads it can change the account's own addresses alone.
    const { provider } = connected(made, accountAt(made), { guard });
    await expect(provider.find(newReference())).rejects.toThrow("(base_url or token_url) is refused: ");
  });

  test("to nobody is an unknown outcome", async () => {
    const server = await made.authority.issue();
    const gone = await startBank({ server, clientAuthority: made.authority.cert, clients: [CLIENT] });
    const given = { baseUrl: gone.baseUrl, tokenUrl: gone.tokenUrl };
    await gone.stop();
    expect(await failureOf(given)).toEqual({ kind: "unknown", code: "ECONNREFUSED" });
  });
});

describe("a refusal", () => {
  test.each([
    ["17", 17],
    ["5.2", 6],
    [null, 60],
    ["soon", 60],
    ["7200", 3600],
    ["9".repeat(12), 3600],
    ["Fri, 20 Nov 2099 15:00:00 GMT", 3600],
  ] as const)("of too many calls with Retry-After %s says when to ask again", async (retryAfter, seconds) => {
    made.bank.fail("readCharge", { kind: "busy", retryAfter });
    const { provider } = connected(made, accountAt(made));
    await expect(provider.find(newReference())).rejects.toMatchObject({
      kind: "busy",
      retryAfterSeconds: seconds,
    });
  });

  test("with a date in Retry-After is counted by our clock", async () => {
    const retryAfter = new Date(made.bank.clock.nowMs() + 120_000).toUTCString();
    made.bank.fail("readCharge", { kind: "busy", retryAfter });
    const { provider } = connected(made, accountAt(made));
    await expect(provider.find(newReference())).rejects.toMatchObject({ retryAfterSeconds: 120 });
  });

  test("says neither the account's secret nor its token", async () => {
    made.bank.fail("readCharge", { kind: "status", status: 500 });
    const { provider } = connected(made, accountAt(made));
    const failed: unknown = await provider.find(newReference()).catch((error: unknown) => error);
    const { message, cause, stack } = failed as Error;
    const texts = [message, String(cause), stack ?? "", JSON.stringify(failed)];
    expect(texts.filter((text) => text.includes(CLIENT.secret) || text.includes("Bearer"))).toEqual([]);
  });
});
