import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newAuthority } from "../../bank/certificates.ts";
import { readPem } from "../../src/provider-accounts/certificate.ts";
import { isQuickToOpen } from "../../src/provider-accounts/key-derivation.ts";
import { bytes, der, integer, SALT, sequence } from "./key-files.ts";

const HIGH = sequence(SALT, integer(8_388_607));
const indefinite = (tag: number, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);

describe("the work of a passphrase", () => {
  test.each([
    ["an encrypted key as Node writes it", encryptedKey(), true],
    ["PBKDF2 at the bound", sequence(SALT, integer(250_000), integer(32)), true],
    ["PBKDF2 past the bound", sequence(SALT, integer(250_001)), false],
    ["PBKDF2 of a long key", sequence(SALT, integer(200_000), integer(64)), false],
    ["parts that are past the bound together", derivations(3, 90_000), false],
    [
      "parts of Bouncy Castle's rounds",
      Buffer.concat([derivations(2, 51_200), derivations(1, 102_400)]),
      true,
    ],
    ["many parts of one round", derivations(251, 1), false],
    ["PBKDF2 within a file's inner bytes", sequence(bytes(sequence(SALT, integer(8_388_607)))), false],
    ["scrypt as OpenSSL writes it", scrypt(16_384, 8, 1), true],
    ["scrypt with many blocks", scrypt(16_384, 1000, 1), false],
    ["scrypt that is past the bound by its parallelism", scrypt(16_384, 15, 64), false],
    ["scrypt past the bound by its rounds", scrypt(65_536, 8, 1), false],
    ["a number longer than any count", sequence(SALT, der(0x02, Buffer.alloc(9, 1))), false],
    ["a number below zero", sequence(SALT, der(0x02, Buffer.from([0xff])), derivations(1, 250_000)), false],
    ["numbers that follow no salt", sequence(integer(2 ** 40), sequence(integer(2 ** 40))), true],
    ["bytes that are no DER", Buffer.from("not DER"), true],
    ["values within values without end", nested(100), false],
    ["PBKDF2 in a sequence of indefinite length", indefinite(0x30, SALT, integer(8_388_607)), false],
    ["a sequence of indefinite length at the bound", indefinite(0x30, SALT, integer(2048)), true],
    ["sequences of indefinite length without end", Buffer.alloc(60_000, Buffer.from([0x30, 0x80])), false],
    ["a salt in parts", sequence(indefinite(0x24, SALT, SALT), integer(8_388_607)), false],
    [
      "PBKDF2 within bytes in parts",
      indefinite(0x24, bytes(HIGH.subarray(0, 9)), bytes(HIGH.subarray(9))),
      false,
    ],
    ["PBKDF2 before garbage", bytes(Buffer.concat([HIGH, Buffer.from([0x30, 0x7f])])), false],
    ["PBKDF2 after a type with a long number", sequence(Buffer.from([0x9f, 0x81, 0x01, 0x00]), HIGH), false],
    ["types in their long form", sequence(long(SALT), long(integer(8_388_607))), false],
    [
      "a length with many zeros",
      sequence(SALT, Buffer.from([0x02, 0x88, 0, 0, 0, 0, 0, 0, 0, 3, 127, 255, 255])),
      false,
    ],
  ])("%s", (_, file, isQuick) => {
    expect(isQuickToOpen(file)).toBe(isQuick);
  });

  test("a file of nothing but strings within strings is refused in a bounded number of steps", () => {
    let file = Buffer.alloc(0);
    for (let depth = 0; depth < 30; depth++) file = Buffer.concat([header(0x24, file.length), file]);
    const wide = Buffer.concat(Array.from({ length: Math.floor(61_000 / file.length) }, () => file));
    const before = process.cpuUsage();
    for (const given of [wide, header(0x24, 4), Buffer.alloc(61_000, Buffer.from([0x24, 0x80]))]) {
      isQuickToOpen(given);
    }
    expect(isQuickToOpen(Buffer.alloc(61_000, Buffer.from([0x30, 0x00])))).toBe(false);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
  });

  test("past the bound, a key is refused before it is opened", async () => {
    const text = sequence(sequence(SALT, integer(2_147_483_647))).toString("base64");
    const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${text}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
    await expect(readPem(newAuthority("CA").cert, key, "secret")).rejects.toThrow(
      "takes too much work to open",
    );
  });
});

function derivations(count: number, rounds: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => sequence(SALT, integer(rounds))));
}

function scrypt(n: number, r: number, p: number): Buffer {
  return sequence(SALT, integer(n), integer(r), integer(p));
}

/** Returns a value whose type takes two bytes, where one would do. */
function long(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x1f, value[0] ?? 0]), value.subarray(1)]);
}

function header(tag: number, length: number): Buffer {
  return length < 128 ? Buffer.from([tag, length]) : Buffer.from([tag, 0x82, length >> 8, length & 0xff]);
}

function nested(depth: number): Buffer {
  return depth === 0 ? SALT : sequence(nested(depth - 1));
}

function encryptedKey(): Buffer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "pkcs8", format: "der", cipher: "aes-256-cbc", passphrase: "secret" });
}
