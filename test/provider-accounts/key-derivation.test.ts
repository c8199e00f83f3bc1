import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newAuthority } from "../../bank/certificates.ts";
import { readPem } from "../../src/provider-accounts/certificate.ts";
import { isQuickToOpen } from "../../src/provider-accounts/key-derivation.ts";

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const long = Buffer.alloc(4);
  long.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from([tag, 0x84]), long, content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const bytes = (content: Buffer): Buffer => der(0x04, content);
const integer = (value: number): Buffer => {
  const content = Buffer.alloc(6);
  content.writeIntBE(value, 0, 6);
  return der(0x02, content);
};
const SALT = bytes(Buffer.alloc(8, 7));

describe("the work of a passphrase", () => {
  test.each([
    ["an encrypted key as Node writes it", encryptedKey(), true],
    ["PBKDF2 at the bound", sequence(SALT, integer(200_000), integer(32)), true],
    ["PBKDF2 past the bound", sequence(SALT, integer(200_001)), false],
    ["PBKDF2 within a file's inner bytes", sequence(bytes(sequence(SALT, integer(8_388_607)))), false],
    ["scrypt", sequence(SALT, integer(16_384), integer(8), integer(1)), true],
    ["scrypt with many blocks", sequence(SALT, integer(16_384), integer(1000), integer(1)), false],
    ["a number longer than any count", sequence(SALT, der(0x02, Buffer.alloc(9, 1))), false],
    ["numbers that follow no salt", sequence(integer(2 ** 40), sequence(integer(2 ** 40))), true],
    ["bytes that are no DER", Buffer.from("not DER"), true],
    ["values within values without end", nested(100), false],
  ])("%s", (_, file, isQuick) => {
    expect(isQuickToOpen(file)).toBe(isQuick);
  });

  test("past the bound, a key is refused before it is opened", () => {
    const text = sequence(sequence(SALT, integer(2_147_483_647))).toString("base64");
    const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${text}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
    expect(() => readPem(newAuthority("CA").cert, key, "secret")).toThrow("takes too much work to open");
  });
});

function nested(depth: number): Buffer {
  return depth === 0 ? SALT : sequence(nested(depth - 1));
}

function encryptedKey(): Buffer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "pkcs8", format: "der", cipher: "aes-256-cbc", passphrase: "secret" });
}
