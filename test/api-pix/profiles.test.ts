import { describe, expect, test } from "vitest";
import type { ApiPixAccount } from "../../src/providers/api-pix/account.ts";
import { errorCodeIn } from "../../src/providers/answers.ts";
import { forFile } from "../support/for-file.ts";
import { accountAt, connected, movedProfile, newReference, testBank } from "./connected.ts";

const made = await testBank();
await forFile(Promise.resolve({ close: async () => await made.bank.stop() }));

/** Asks about a charge, and returns the request of the token and the call. */
async function asked(profile: string, given: Partial<ApiPixAccount> = {}) {
  const account = { ...accountAt(made), profile: movedProfile(profile), ...given };
  made.bank.requests.length = 0;
  await connected(made, account).provider.find(newReference());
  const [token, call] = made.bank.requests;
  return { form: Object.fromEntries(new URLSearchParams(token?.text)), headers: call?.headers ?? {} };
}

describe("a bank's own ways", () => {
  test("Inter: the number of an account goes with each call, where there is one", async () => {
    expect((await asked("inter", { accountNumber: "123456789" })).headers).toMatchObject({
      "x-conta-corrente": "123456789",
    });
    expect((await asked("inter")).headers).not.toHaveProperty("x-conta-corrente");
  });

  test("Santander: an application key goes with each call, where there is one", async () => {
    expect((await asked("santander", { appKey: "app-key-1\n" })).headers).toMatchObject({
      "x-application-key": "app-key-1",
    });
    expect((await asked("santander")).headers).not.toHaveProperty("x-application-key");
  });

  test("Bradesco: the token is asked for without scopes", async () => {
    expect((await asked("bradesco")).form).toEqual({ grant_type: "client_credentials" });
    expect((await asked("sicredi")).form).toHaveProperty("scope");
  });

  test.each([
    [
      '{"erros":[{"codigo":"4769515","versao":"1","mensagem":"Não há informações","ocorrencia":"CH1"}]}',
      "4769515",
    ],
    ['{"erros":[{"codigo":4769515,"mensagem":"Não há informações"}]}', "4769515"],
    ['{"statusCode":401,"error":"Unauthorized","message":"Bad Credentials","attributes":{}}', "Unauthorized"],
    ['{"statusCode":404,"error":"Not Found","message":"no Route"}', null],
    ['{"error":"invalid_client","error_description":"Client is not known"}', "invalid_client"],
    ['{"erros":[]}', null],
  ])("BB: an error is named by its code: %s", (text, code) => {
    expect(errorCodeIn(text)).toBe(code);
  });
});
