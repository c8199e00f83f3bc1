import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { REPORT_SCOPES, SCOPES } from "../../tools/bank/state.ts";
import { verifyAccount } from "../../src/providers/api-pix/verification.ts";
import {
  accountAt,
  CLIENT,
  connected,
  faultOf,
  KEY,
  movedProfile,
  newReference,
  NOW,
  testBank,
} from "./connected.ts";

const made = await testBank();
afterAll(async () => await made.bank.stop());
afterEach(() => {
  made.bank.clock.set(NOW);
  made.bank.faults.clear();
  made.bank.tokens.lifeSeconds = 3600;
  made.bank.grant(SCOPES);
});

const adapter = () => connected(made, accountAt(made)).provider;

/** Counts the requests of a token while `act` runs. */
async function tokensIn(act: () => Promise<unknown>): Promise<number> {
  const earlier = made.bank.requests.length;
  await act();
  return made.bank.requests.slice(earlier).filter(({ call }) => call === "token").length;
}

describe("the token", () => {
  test("is asked for by Basic and a form, with all scopes", async () => {
    await adapter().find(newReference());
    const asked = made.bank.requests.findLast(({ call }) => call === "token");
    expect(asked?.headers).toMatchObject({
      authorization: `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`,
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(Object.fromEntries(new URLSearchParams(asked?.text))).toEqual({
      grant_type: "client_credentials",
      scope: SCOPES.join(" "),
    });
  });

  test("is asked for once by many calls at the same time", async () => {
    const provider = adapter();
    const calls = Array.from({ length: 20 }, () => newReference());
    expect(await tokensIn(() => Promise.all(calls.map((one) => provider.find(one))))).toBe(1);
  });

  test("is kept until 30 seconds before its end", async () => {
    made.bank.tokens.lifeSeconds = 300;
    const provider = adapter();
    await provider.find(newReference());
    made.bank.clock.advance(269);
    expect(await tokensIn(() => provider.find(newReference()))).toBe(0);
    made.bank.clock.advance(1);
    expect(await tokensIn(() => provider.find(newReference()))).toBe(1);
  });

  test("of a short life is kept for a half of it", async () => {
    made.bank.tokens.lifeSeconds = 20;
    const provider = adapter();
    await provider.find(newReference());
    made.bank.clock.advance(9);
    expect(await tokensIn(() => provider.find(newReference()))).toBe(0);
    made.bank.clock.advance(1);
    expect(await tokensIn(() => provider.find(newReference()))).toBe(1);
  });

  test("that the bank does not take any more is replaced once, for all calls", async () => {
    const provider = adapter();
    await provider.find(newReference());
    made.bank.tokens.revoke();
    const calls = Array.from({ length: 10 }, () => newReference());
    expect(await tokensIn(() => Promise.all(calls.map((one) => provider.find(one))))).toBe(1);
  });

  test("that is new and not taken either is a wrong account, and no storm of requests", async () => {
    const provider = adapter();
    made.bank.fail("readCharge", { kind: "unauthorized" }, 100);
    const failing = async (): Promise<void> => {
      expect((await faultOf(provider.find(newReference()))).kind).toBe("misconfigured");
    };
    const count = await tokensIn(async () => {
      for (let call = 0; call < 5; call++) await failing();
    });
    expect(count).toBe(2);
    made.bank.faults.clear();
    made.bank.clock.advance(5);
    await provider.find(newReference());
  });

  test("that is refused is not asked for again within 5 seconds", async () => {
    const { provider } = connected(made, { ...accountAt(made), clientSecret: "wrong" });
    const failing = async (): Promise<void> => {
      expect(await faultOf(provider.find(newReference()))).toEqual({
        kind: "misconfigured",
        code: "invalid_client",
      });
    };
    expect(await tokensIn(async () => await Promise.all([failing(), failing()]))).toBe(1);
    expect(await tokensIn(failing)).toBe(0);
    made.bank.clock.advance(5);
    expect(await tokensIn(failing)).toBe(1);
  });

  test("that is asked for too often waits as long as the bank says", async () => {
    made.bank.fail("token", { kind: "busy", retryAfter: "60" });
    const provider = adapter();
    const failed = provider.find(newReference());
    await expect(failed).rejects.toMatchObject({ kind: "busy", retryAfterSeconds: 60 });
    made.bank.clock.advance(59);
    expect((await faultOf(provider.find(newReference()))).kind).toBe("busy");
    made.bank.clock.advance(1);
    await provider.find(newReference());
  });

  test.each([
    { kind: "status", status: 503 },
    { kind: "html", status: 200 },
    { kind: "empty", status: 200 },
    { kind: "cut" },
  ] as const)("that is not given by %o leaves the call unknown, and comes later", async (fault) => {
    made.bank.fail("token", fault);
    const provider = adapter();
    expect((await faultOf(provider.find(newReference()))).kind).toBe("unknown");
    made.bank.clock.advance(5);
    await provider.find(newReference());
  });

  test.each(["efi", "bb", "itau", "sicoob", "inter", "santander", "sicredi", "bradesco"])(
    "is asked for in the way of the profile %s",
    async (name) => {
      const client = name === "sicoob" ? { ...CLIENT, secret: "" } : CLIENT;
      const own = await testBank({ clients: [client] });
      const account = { ...accountAt(own), profile: movedProfile(name), appKey: "app-key-1" };
      await connected(own, account).provider.find(newReference());
      const asked = own.bank.requests.map(({ headers, query, text }) => ({ headers, query, text }));
      await own.bank.stop();
      const [token, call] = asked;
      const isBasic = ["efi", "bb", "sicredi", "bradesco"].includes(name);
      expect(token?.headers.authorization !== undefined).toBe(isBasic);
      expect(token?.text.includes("client_secret")).toBe(["itau", "inter", "santander"].includes(name));
      expect(token?.query["grant_type"]).toBe(name === "santander" ? "client_credentials" : undefined);
      expect(call?.query["gw-dev-app-key"]).toBe(name === "bb" ? "app-key-1" : undefined);
      expect(call?.headers["client_id"]).toBe(name === "sicoob" ? CLIENT.id : undefined);
      expect(call?.headers["x-correlationid"] !== undefined).toBe(name === "itau");
    },
  );
});

describe("a verification", () => {
  const OURS = "https://pay.example.com/providers/x?hmac=secret&ignorar=";
  const registration = (callbackUrl?: string, isReplaced = false) => ({
    callbackUrl: callbackUrl ?? OURS,
    isRegistered: callbackUrl !== undefined,
    isReplaced,
  });
  const verified = async (registerUrl?: string, isReplaced?: boolean) => {
    const account = { ...accountAt(made), profile: movedProfile("efi") };
    const { client } = connected(made, account);
    const clock = { nowMs: () => NOW.getTime() - 90_000 };
    return await verifyAccount(client, clock, registration(registerUrl, isReplaced));
  };
  const setElsewhere = (url: string): void => {
    made.bank.account().webhooks.set(KEY, { url, createdAt: NOW });
  };
  const setCount = (): number => made.bank.requests.filter(({ call }) => call === "setWebhook").length;

  test("sets and reads the address of callbacks, and compares the clocks", async () => {
    expect((await verified()).registeredUrl).toBeNull();
    expect(await verified(OURS)).toEqual({
      missingScopes: [],
      registeredUrl: OURS,
      isOther: false,
      isKeyConfirmed: true,
      clockSkewSeconds: 90,
    });
    const set = made.bank.requests.findLast(({ call }) => call === "setWebhook");
    expect(set?.headers["x-skip-mtls-checking"]).toBe("true");
  });

  test("input 23: leaves another system's address as it is, unless it may be replaced", async () => {
    const other = "https://shop.example.com/pix";
    setElsewhere(other);
    const before = setCount();
    const left = { registeredUrl: other, isOther: true };
    expect(await verified()).toMatchObject(left);
    expect(await verified(OURS)).toMatchObject(left);
    expect(setCount()).toBe(before);
    expect(await verified(OURS, true)).toMatchObject({ registeredUrl: OURS, isOther: false });
    expect(setCount()).toBe(before + 1);
  });

  test("replaces an address of the same service without a word", async () => {
    setElsewhere("https://pay.example.com/providers/former");
    expect(await verified(OURS)).toMatchObject({ registeredUrl: OURS, isOther: false });
  });

  test("sets no address where it cannot read the present one, unless that may be replaced", async () => {
    made.bank.grant(SCOPES.filter((scope) => scope !== "webhook.read"));
    const before = setCount();
    await verified(OURS);
    expect(setCount()).toBe(before);
    await verified(OURS, true);
    expect(setCount()).toBe(before + 1);
  });

  test("reads the key where the bank has an address, in its normal form", async () => {
    made.bank.account().webhooks.clear();
    expect((await verified()).isKeyConfirmed).toBeNull();
    const { client } = connected(made, accountAt(made));
    const answer = await client.send({ method: "GET", resource: "webhook", path: `/webhook/${KEY}` });
    const named = async (chave: string) => {
      const text = JSON.stringify({ webhookUrl: OURS, chave });
      vi.spyOn(client, "send").mockResolvedValue({ ...answer, status: 200, text });
      return (await verifyAccount(client, made.bank.clock, registration())).isKeyConfirmed;
    };
    expect(await named(KEY.toUpperCase())).toBe(true);
    expect(await named("another@example.com")).toBe(false);
  });

  test("needs no company's number in the bank's answer", async () => {
    const { client } = connected(made, accountAt(made));
    await verifyAccount(client, made.bank.clock, registration(OURS));
    const send = client.send.bind(client);
    const left: unknown[] = [];
    vi.spyOn(client, "send").mockImplementation(async (call) => {
      const answer = await send(call);
      const { cnpj, ...rest } = JSON.parse(answer.text) as Record<string, unknown>;
      left.push(cnpj);
      return { ...answer, text: JSON.stringify(rest) };
    });
    expect((await verifyAccount(client, made.bank.clock, registration())).registeredUrl).toBe(OURS);
    expect(left).toEqual([expect.stringMatching(/^\d{14}$/)]);
  });

  test("asks Efí for certificates where no secret proves its callbacks", async () => {
    await verified("https://pay.example.com/providers/y");
    const set = made.bank.requests.findLast(({ call }) => call === "setWebhook");
    expect(set?.headers["x-skip-mtls-checking"]).toBeUndefined();
  });

  test("names the scopes of reports that an application at Efí is without, and asks for none of them", async () => {
    made.bank.account().reportScopes = [];
    expect((await verified()).missingScopes).toEqual([...REPORT_SCOPES]);
    made.bank.account().reportScopes = REPORT_SCOPES;
    const asked = made.bank.requests.findLast(({ call }) => call === "token");
    expect(asked?.text).not.toContain("gn.reports");
  });

  test("names each scope that the bank silently leaves out", async () => {
    made.bank.grant(["cob.write", "cob.read", "pix.read", "webhook.read"]);
    expect((await verified("https://pay.example.com/z")).missingScopes).toEqual([
      "pix.write",
      "webhook.write",
    ]);
    made.bank.grant(["cob.read"]);
    expect((await verified()).missingScopes).toEqual(SCOPES.filter((scope) => scope !== "cob.read"));
  });

  test.each([
    { kind: "html", status: 200 },
    { kind: "status", status: 503 },
  ] as const)("fails as unknown after %o", async (fault) => {
    made.bank.fail("readWebhook", fault);
    expect((await faultOf(verified())).kind).toBe("unknown");
  });

  test("of a key that is not the account's is refused", async () => {
    const account = { ...accountAt(made), pixKey: "another@example.com" };
    const { client } = connected(made, account);
    const failed = await faultOf(verifyAccount(client, made.bank.clock, registration(OURS)));
    expect(failed).toEqual({ kind: "refused", code: "WebhookOperacaoInvalida" });
  });
});
