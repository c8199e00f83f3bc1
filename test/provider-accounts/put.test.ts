import { CallbackProofKind, ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { describe, expect, test } from "vitest";
import { SCOPES } from "../../tools/bank/state.ts";
import { CLIENT, KEY } from "../api-pix/connected.ts";
import { newAuthority } from "../support/certificates.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { advance, configAt, connectMerchant, startLive } from "./live-merchant.ts";

const live = await forFile(startLive());
const merchant = await createMerchant(live.service, {}, "live");
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());

type Given = Parameters<typeof configAt>[1];
const put = async (given: Given = {}, profile = "bacen", as = merchant.as) =>
  await live.providers.putProviderAccount(
    { kind: ProviderKind.PIX, profile, config: configAt(live, given) },
    as,
  );
const count = async () => (await rows.read("SELECT id FROM live.provider_account")).length;

const MTLS = { kind: CallbackProofKind.MTLS, issuer: "CA", subject: "bank" };

describe("an account is refused, and nothing is stored,", () => {
  test.each<[what: string, given: Given, profile: string, message: string]>([
    ["without a client's id", { clientId: "" }, "bacen", "client_id is missing."],
    ["without a client's secret", { clientSecret: "" }, "bacen", "client_secret is missing."],
    ["without a key of PIX", { pixKey: "" }, "bacen", "pix_key is missing."],
    ["input 19: with a phone that has no country", { pixKey: "11987654321" }, "bacen", "a phone with +55"],
    ["with a CPF of wrong digits", { pixKey: "529.982.247-26" }, "bacen", "its right digits"],
    ["without a certificate", { certificate: "" }, "bacen", "certificate is missing."],
    ["without a private key", { privateKey: "" }, "bacen", "private_key is missing."],
    ["without an address", { baseUrl: "" }, "bacen", "base_url is missing."],
    ["without the token's address", { tokenUrl: "" }, "bacen", "token_url is missing."],
    [
      "without a proof",
      { callback: { kind: CallbackProofKind.UNSPECIFIED } },
      "bacen",
      "callback.proof is missing.",
    ],
    ["without a proof's authority", { callback: MTLS }, "bacen", "callback.ca is missing."],
    ["without an application key", { baseUrl: "", tokenUrl: "" }, "bb", "app_key is missing."],
    ["of an unknown profile", {}, "nubank", "profile must be one of bacen, efi"],
    ["with an unreadable certificate", { certificate: "x" }, "bacen", "certificate is not a readable"],
    ["with an unreadable key", { privateKey: "x" }, "bacen", "private_key is not a readable"],
    ["with an unreadable authority", { ca: "x" }, "bacen", "ca is not readable"],
    ["with unreadable PKCS#12", { pkcs12: Buffer.from("x") }, "bacen", "is not PKCS#12"],
    ["at http", { baseUrl: "http://bank.example.com" }, "bacen", "must begin with https://."],
    [
      "at a private address",
      { baseUrl: "https://10.0.0.1" },
      "bacen",
      "does not lead to the public internet",
    ],
    ["with a token at a private address", { tokenUrl: "https://[fd00::1]/t" }, "bacen", "does not lead to"],
    [
      "with a slash at the end",
      { baseUrl: "https://93.184.215.14/" },
      "bacen",
      "must have no trailing slash",
    ],
    ["with an address that its profile has", {}, "efi", "is not for the profile efi"],
  ])("%s", async (_what, given, profile, message) => {
    await expect(put(given, profile)).rejects.toThrow(message);
    expect(await count()).toBe(0);
  });

  test("with a key of another certificate", async () => {
    const other = await (await newAuthority("Other")).issue();
    await expect(put({ privateKey: other.key })).rejects.toThrow("does not belong to the certificate");
    expect(await count()).toBe(0);
  });

  test("case 15: in test mode", async () => {
    const as = { headers: { ...merchant.as.headers, "paylink-mode": "test" } };
    await expect(put({}, "bacen", as)).rejects.toThrow("live mode");
  });

  test("at a loopback address unless that is allowed", async () => {
    const strict = await startLive({ allowLoopbackProviders: false });
    const { as } = await createMerchant(strict.service, {}, "live");
    const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(strict) };
    await expect(strict.providers.putProviderAccount(request, as)).rejects.toThrow("public internet");
    await strict.close();
  });
});

describe("an account", () => {
  test("is one of its tenant at a time, also of two at once, until it is retired", async () => {
    const { as } = await createMerchant(live.service, {}, "live");
    const codes = await Promise.all([codeOf(put({}, "bacen", as)), codeOf(put({}, "bacen", as))]);
    expect(codes.toSorted()).toEqual(["ok", "provider_account_exists"]);
    const { accounts } = await live.providers.listProviderAccounts({}, as);
    await live.providers.retireProviderAccount({ id: accounts[0]?.id ?? "" }, as);
    expect(await codeOf(put({}, "bacen", as))).toBe("ok");
    expect((await live.providers.listProviderAccounts({}, as)).accounts).toHaveLength(2);
  });

  test("is shown without its credentials, and stored without them in plain text", async () => {
    const { as, accountId } = await connectMerchant(live);
    const { accounts } = await live.providers.listProviderAccounts({}, as);
    expect(accounts).toMatchObject([{ id: accountId, profile: "bacen", lastFour: "Id_1" }]);
    expect(accounts[0]?.certificateSubject).toBe("CN=localhost");
    const stored = await rows.read("SELECT * FROM live.provider_account WHERE id = $1", [accountId]);
    const audited = await rows.read("SELECT details FROM identity.audit_entry WHERE object_id = $1", [
      accountId,
    ]);
    const text = JSON.stringify([stored, audited, accounts], (_, value) =>
      typeof value === "bigint" ? 0 : value,
    );
    for (const secret of ["Client_Secret", "Client_Id_1", "PRIVATE KEY", "BEGIN CERTIFICATE"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("of another tenant is not found by its tenant's tokens, and an unknown one by none", async () => {
    expect(await codeOf(live.providers.retireProviderAccount({ id: "pac_x" }, merchant.as))).toBe(
      "provider_account_not_found",
    );
  });
});

describe("an account at Inter", () => {
  test("may have a bank account's number, of digits alone", async () => {
    const { as } = await createMerchant(live.service, {}, "live");
    const { cert: certificate, key: private_key } = live.identity;
    const own = { client_id: "x", client_secret: "x", pix_key: KEY, certificate, private_key };
    const putWith = async (account_number: string) => {
      const settings = { ...own, account_number, "callback.proof": "hmac" };
      const request = { kind: ProviderKind.PIX, profile: "inter", settings };
      return await live.providers.putProviderAccount(request, as);
    };
    expect(await refusalOf(putWith("12a"))).toMatchObject({ param: "settings.account_number" });
    expect(await codeOf(putWith("12.345.678-9"))).toBe("ok");
  });
});

describe("a key", () => {
  test("input 18: with marks is one key with that which the bank echoes", async () => {
    const client = { ...CLIENT, keys: ["11222333000181"] };
    const own = await startLive({}, { clients: [client] });
    const { accountId, as, start, status } = await connectMerchant(own, undefined, {
      pixKey: "11.222.333/0001-81",
    });
    const { paymentId, reference } = await start();
    own.bank.pay(reference, 15_990n);
    advance(own, 60);
    await own.service.core.tasks.checkCharges();
    expect(await status(paymentId)).toBe("succeeded");
    const config = configAt(own, { pixKey: "11222333/0001-81" });
    await own.providers.rotateProviderAccount({ id: accountId, config }, as);
    await own.close();
  });
});

describe("a verification", () => {
  test("sets the address of callbacks, and says that the bank accepts the account", async () => {
    const { as, accountId: id } = await connectMerchant(live);
    const before = await live.providers.verifyProviderAccount({ id }, as);
    expect(before).toMatchObject({ isAccepted: true, isCallbackRegistered: false });
    const after = await live.providers.verifyProviderAccount({ id, isRegistered: true }, as);
    expect(after).toMatchObject({ isAccepted: true, isCallbackRegistered: true, missingScopes: [] });
    expect(after.account?.verifiedAt).toBeDefined();
  });

  test("input 22: names each scope that is missing, and accepts the account if charges can do without", async () => {
    // A token keeps its scopes: each account asks for its own.
    const grantedOnly = async (scopes: readonly string[]) => {
      const { as, accountId: id } = await connectMerchant(live);
      live.bank.grant(scopes);
      const answer = await live.providers.verifyProviderAccount({ id }, as);
      live.bank.grant(SCOPES);
      return answer;
    };
    const missingScopes = ["pix.write", "pix.read", "webhook.write"];
    const accepted = await grantedOnly(["cob.write", "cob.read", "webhook.read"]);
    expect(accepted).toMatchObject({ isAccepted: true, missingScopes });
    expect(accepted.account?.verifiedAt).toBeDefined();
    for (const scope of ["cob.write", "cob.read"]) {
      expect(await grantedOnly(SCOPES.filter((one) => one !== scope))).toMatchObject({
        isAccepted: false,
        missingScopes: [scope],
        problem: `The provider did not grant ${scope}.`,
      });
    }
  });

  test("input 23: tells another system's address, and replaces it only when that is asked for", async () => {
    const { as, accountId: id } = await connectMerchant(live);
    const url = "https://shop.example.com/pix";
    live.bank.account().webhooks.set(KEY, { url, createdAt: new Date(0) });
    const left = {
      isAccepted: true,
      isCallbackRegistered: false,
      otherCallbackUrl: url,
      isKeyConfirmed: true,
    };
    const verify = async (given: object) => await live.providers.verifyProviderAccount({ id, ...given }, as);
    expect(await verify({ isRegistered: true })).toMatchObject(left);
    expect(live.bank.account().webhooks.get(KEY)?.url).toBe(url);
    const replaced = await verify({ isRegistered: true, isReplaced: true });
    expect(replaced).toMatchObject({ isAccepted: true, isCallbackRegistered: true });
    expect(replaced.otherCallbackUrl).toBeUndefined();
  });

  test("says that the bank refuses us, until a rotation brings the right secret", async () => {
    const { as, accountId: id } = await connectMerchant(live);
    const wrong = configAt(live, { clientSecret: "wrong" });
    await live.providers.rotateProviderAccount({ id, config: wrong }, as);
    expect(await live.providers.verifyProviderAccount({ id }, as)).toMatchObject({ isAccepted: false });
    const right = configAt(live);
    const { account } = await live.providers.rotateProviderAccount({ id, config: right }, as);
    expect(account?.rotatedAt).toBeDefined();
    expect(await live.providers.verifyProviderAccount({ id }, as)).toMatchObject({ isAccepted: true });
  });

  test("keeps the key of open charges: a rotation with another one is refused", async () => {
    const { as, accountId: id } = await connectMerchant(live);
    const config = configAt(live, { pixKey: "outra@example.com" });
    const rotation = live.providers.rotateProviderAccount({ id, config }, as);
    expect(await refusalOf(rotation)).toMatchObject({ code: "invalid_request", param: "config.pix_key" });
    expect(await live.providers.verifyProviderAccount({ id }, as)).toMatchObject({ isAccepted: true });
  });
});
