import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import type { ClientIdentity } from "../../src/providers/api-pix/account.ts";
import { certificateBag, encryptedPart, keyBag, PASSPHRASE, pkcs12 } from "../provider-accounts/key-files.ts";
import { forFile } from "../support/for-file.ts";
import { accountAt, connected, faultOf, newReference, testBank } from "./connected.ts";

const made = await testBank();
await forFile(Promise.resolve({ close: async () => await made.bank.stop() }));

/** An identity in PKCS#12 that counts how often its file is opened. */
function counted(pfx: Buffer): { identity: ClientIdentity; opened: () => number } {
  let count = 0;
  const identity = {
    get pfx() {
      count++;
      return pfx;
    },
    passphrase: PASSPHRASE,
  };
  return { identity, opened: () => count };
}

test("the key of an account is derived once for all its connections and failures", async () => {
  const { cert, key } = made.identity;
  const bags = [certificateBag(cert), keyBag(createPrivateKey(key), 2048)];
  const { identity, opened } = counted(pkcs12(encryptedPart(2048, ...bags)));
  const { provider } = connected(made, { ...accountAt(made), identity });
  const found = await Promise.all(Array.from({ length: 4 }, async () => await provider.find(newReference())));
  expect(found.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "absent"));
  // A call that only reads is repeated on another connection.
  made.bank.fail("readCharge", { kind: "cut" }, 20);
  expect(await faultOf(provider.find(newReference()))).toMatchObject({ kind: "unknown" });
  expect(opened()).toBe(1);
});

test("a file that cannot be opened is opened once", async () => {
  const { identity, opened } = counted(Buffer.from("no archive"));
  const { client } = connected(made, { ...accountAt(made), identity });
  const unreadable = { kind: "misconfigured", code: "certificate_unreadable" };
  const { clock } = made.bank;
  expect(await faultOf(client.token())).toEqual(unreadable);
  clock.advance(60);
  expect(await faultOf(client.token())).toEqual(unreadable);
  expect(opened()).toBe(1);
});
