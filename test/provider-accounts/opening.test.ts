import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newAuthority } from "../../tools/bank/certificates.ts";
import { readPublicKey } from "../../src/platform/outside/public-key.ts";
import { readIdentity } from "../../src/providers/certificate.ts";
import { GivenSettings } from "../../src/providers/settings.ts";
import {
  certificateBag,
  dsaKey,
  encryptedKey,
  encryptedPart,
  keyBag,
  openPart,
  PASSPHRASE,
  pkcs12,
  sequence,
} from "./key-files.ts";

const { cert, key } = newAuthority("CA").issue("shop");
const privateKey = createPrivateKey(key);

const HEAVY = 3_000_000;
// They take many minutes.
const ENDLESS = 2_147_483_647;
const SLOW = "takes too much work to open";

const read = async (values: Readonly<Record<string, string>>) =>
  await readIdentity(new GivenSettings("bacen", [], { values, paramOf: (name) => name }));
const readPkcs12 = async (file: Buffer, passphrase: string) =>
  await read({ certificate: `data:;base64,${file.toString("base64")}`, passphrase });
const readPem = async (certificate: string, privateKeyPem: string, passphrase: string) =>
  await read({ certificate, private_key: privateKeyPem, passphrase });

const pem = (content: Buffer): string => {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines.join("\n")}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
};

describe("PKCS#12", () => {
  test("is read, and kept as it is", async () => {
    const file = pkcs12(encryptedPart(2048, certificateBag(cert)), openPart(keyBag(privateKey, 2048)));
    expect(await readPkcs12(file, PASSPHRASE)).toMatchObject({
      identity: { pfx: file.toString("base64"), passphrase: PASSPHRASE },
      subject: "CN=shop",
    });
    await expect(readPkcs12(file, "wrong")).rejects.toThrow("passphrase is wrong");
  });

  test("whose work is itself encrypted is refused, and meanwhile the process serves others", async () => {
    const hidden = encryptedPart(2048, keyBag(privateKey, HEAVY));
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    await expect(readPkcs12(pkcs12(openPart(certificateBag(cert)), hidden), PASSPHRASE)).rejects.toThrow(
      SLOW,
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe("a key in PEM", () => {
  test("that is encrypted is stored without its passphrase", async () => {
    const { identity } = await readPem(cert, pem(encryptedKey(privateKey, 2048)), PASSPHRASE);
    expect(identity).toMatchObject({ privateKey: key });
    await expect(readPem(cert, pem(encryptedKey(privateKey, 2048)), "")).rejects.toThrow(
      "passphrase is wrong",
    );
  });

  test("whose opening has no end is refused when its time is over", async () => {
    await expect(readPem(cert, pem(encryptedKey(privateKey, ENDLESS)), PASSPHRASE)).rejects.toThrow(SLOW);
  });

  test("that takes long to read is refused, and meanwhile the process serves others", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    for (const passphrase of ["", PASSPHRASE]) {
      await expect(readPem(cert, dsaKey(1500), passphrase)).rejects.toThrow("takes too much work");
    }
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    await expect(readPem(cert, dsaKey(200), "")).rejects.toThrow("RSA of at most 4096 bits");
    expect(() => readPublicKey(dsaKey(200))).toThrow("a public key");
  });

  test("that takes long to sign with is refused", async () => {
    const n = Buffer.alloc(1024, 0xff).toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
    const large = withPublicKey(cert, publicKey.export({ type: "spki", format: "der" }));
    await expect(readPem(large, key, "")).rejects.toThrow("RSA of at most 4096 bits");
  });
});

/** Returns a certificate with another public key. Its signature is wrong then. */
function withPublicKey(certificate: string, publicKey: Buffer): string {
  const { raw, publicKey: former } = new X509Certificate(certificate);
  const replaced = former.export({ type: "spki", format: "der" });
  // Both outer headers take four bytes.
  const end = 8 + raw.readUInt16BE(6);
  const at = raw.indexOf(replaced);
  const signed = sequence(raw.subarray(8, at), publicKey, raw.subarray(at + replaced.length, end));
  const text = sequence(signed, raw.subarray(end)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}
