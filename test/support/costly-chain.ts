import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { Pair } from "./certificates.ts";

// Certificates in DER (RFC 5280) whose public exponents are as long as their modulus. OpenSSL has no bound for these up
// to 3072 bits, and needs a hundred times as long for each signature.

const KEY_BYTES = 384;
const SHA256_WITH_RSA = Buffer.from("300d06092a864886f70d01010b0500", "hex");
const RSA = Buffer.from("300d06092a864886f70d0101010500", "hex");
const VERSION_3 = Buffer.from("a003020102", "hex");
const ALWAYS = Buffer.from("301e170d3235303130313030303030305a170d3435303130313030303030305a", "hex");
const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const IS_AUTHORITY = Buffer.from("30030101ff", "hex");
const LOCALHOST = Buffer.from("localhost");

/** Returns a chain for localhost of so many certificates that no one trusts, and the key of all of them. */
export function costlyChain(count: number): Pair {
  const { privateKey, n, e } = costlyKey();
  const names = ["localhost", ...Array.from({ length: count }, (_, index) => `Authority ${index}`)].map(
    nameOf,
  );
  const publicKey = der(0x30, RSA, bitString(der(0x30, integer(n), integer(e))));
  const certificates = Array.from({ length: count }, (_, index) => {
    // The last one has issued itself.
    const issuer = names[Math.min(index + 1, count - 1)] ?? LOCALHOST;
    const extension =
      index === 0
        ? der(0x30, SUBJECT_ALT_NAME, der(0x04, der(0x30, der(0x82, LOCALHOST))))
        : der(0x30, BASIC_CONSTRAINTS, der(0x04, IS_AUTHORITY));
    const content = der(
      0x30,
      VERSION_3,
      integer(BigInt(index + 1)),
      SHA256_WITH_RSA,
      issuer,
      ALWAYS,
      names[index] ?? LOCALHOST,
      publicKey,
      der(0xa3, der(0x30, extension)),
    );
    return der(0x30, content, SHA256_WITH_RSA, bitString(sign("sha256", content, privateKey)));
  });
  return {
    cert: certificates.map(pem).join(""),
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

function costlyKey(): { privateKey: KeyObject; n: bigint; e: bigint } {
  const made = generateKeyPairSync("rsa", { modulusLength: KEY_BYTES * 8 });
  const jwk = made.privateKey.export({ format: "jwk" });
  const [n, p, q] = [numberOf(jwk.n), numberOf(jwk.p), numberOf(jwk.q)];
  const order = (p - 1n) * (q - 1n);
  let e: bigint;
  let d: bigint | undefined;
  do {
    e = (BigInt(`0x${randomBytes(KEY_BYTES).toString("hex")}`) % n) | 1n;
    d = inverse(e, order);
  } while (d === undefined);
  const numbers = { n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) ?? 0n };
  const texts = Object.entries(numbers).map(([name, value]) => [name, bytesOf(value).toString("base64url")]);
  const key = { kty: "RSA", ...Object.fromEntries(texts) };
  return { privateKey: createPrivateKey({ format: "jwk", key }), n, e };
}

function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [left, right] = [value % modulus, modulus];
  let [factor, next] = [1n, 0n];
  while (right !== 0n) {
    const times = left / right;
    [left, right] = [right, left - times * right];
    [factor, next] = [next, factor - times * next];
  }
  return left === 1n ? ((factor % modulus) + modulus) % modulus : undefined;
}

function numberOf(text: string | undefined): bigint {
  return BigInt(`0x${Buffer.from(text ?? "", "base64url").toString("hex")}`);
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = bytesOf(BigInt(content.length));
  const long = content.length < 0x80 ? [] : [0x80 + length.length];
  return Buffer.concat([Buffer.from([tag, ...long]), length, content]);
}

function integer(value: bigint): Buffer {
  const content = bytesOf(value);
  return der(0x02, ...((content[0] ?? 0) & 0x80 ? [Buffer.alloc(1)] : []), content);
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.alloc(1), content);
}

function nameOf(text: string): Buffer {
  return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(text)))));
}

function pem(content: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${content.toString("base64")}\n-----END CERTIFICATE-----\n`;
}
