import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

// Certificates as a hostile client or merchant makes them: RSA with a public exponent as long as the modulus, which
// OpenSSL bounds only above 3072 bits. To verify a signature then takes a hundred times as long.

const BITS = 3072;

/** A key pair with an exponent of 3072 bits. */
export interface HeavyKey {
  readonly privateKey: KeyObject;
  readonly modulus: bigint;
  readonly exponent: bigint;
}

export function newHeavyKey(): HeavyKey {
  const jwk = generateKeyPairSync("rsa", { modulusLength: BITS }).privateKey.export({ format: "jwk" });
  const [modulus, p, q] = [numberIn(jwk.n), numberIn(jwk.p), numberIn(jwk.q)];
  const phi = (p - 1n) * (q - 1n);
  for (;;) {
    const exponent = (BigInt(`0x${randomBytes(BITS / 8).toString("hex")}`) % phi) | 1n;
    const d = inverse(exponent, phi);
    if (d === undefined) continue;
    const [dp, dq] = [d % (p - 1n), d % (q - 1n)];
    const own = { e: textOf(exponent), d: textOf(d), dp: textOf(dp), dq: textOf(dq) };
    const key = { ...jwk, ...own };
    return { privateKey: createPrivateKey({ format: "jwk", key }), modulus, exponent };
  }
}

/** Returns certificates in DER, its own first, each issued by the next; `nameOf` has the name of each by its place. */
export function heavyChain(
  { privateKey, modulus, exponent }: HeavyKey,
  count: number,
  nameOf = (place: number): string => (place === 0 ? "localhost" : `c${place}`),
): Buffer[] {
  const spki = sequence(
    sequence(oid("2a864886f70d010101"), NULL),
    bits(sequence(integer(modulus), integer(exponent))),
  );
  const algorithm = sequence(oid("2a864886f70d01010b"), NULL);
  const dates = sequence(date("250101000000Z"), date("450101000000Z"));
  return Array.from({ length: count }, (_, place) => {
    const issuer = nameIn(nameOf(Math.min(place + 1, count - 1)));
    const constraints = sequence(oid("551d13"), value(0x04, sequence(value(0x01, Buffer.from([0xff])))));
    const extensions = place === 0 ? [] : [value(0xa3, sequence(constraints))];
    const number = integer(BigInt(place + 1));
    const names = [issuer, dates, nameIn(nameOf(place))];
    const body = sequence(value(0xa0, integer(2n)), number, algorithm, ...names, spki, ...extensions);
    return sequence(body, algorithm, bits(sign("sha256", body, privateKey)));
  });
}

/** Returns a certificate in PEM. */
export function pemOf(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

const NULL = Buffer.from([0x05, 0x00]);

function value(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  // DER has the shortest length.
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return value(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return value(0x06, Buffer.from(hex, "hex"));
}

function bits(content: Buffer): Buffer {
  return value(0x03, Buffer.alloc(1), content);
}

function date(text: string): Buffer {
  return value(0x17, Buffer.from(text));
}

function nameIn(common: string): Buffer {
  return sequence(value(0x31, sequence(oid("550403"), value(0x0c, Buffer.from(common)))));
}

function integer(number: bigint): Buffer {
  const bytes = bytesOf(number);
  return value(0x02, ...((bytes[0] ?? 0) & 0x80 ? [Buffer.alloc(1)] : []), bytes);
}

function bytesOf(number: bigint): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

function textOf(number: bigint): string {
  return bytesOf(number).toString("base64url");
}

function numberIn(text: string | undefined): bigint {
  return BigInt(`0x${Buffer.from(text ?? "", "base64url").toString("hex")}`);
}

/** Returns the inverse of a number, or undefined if there is none. */
function inverse(number: bigint, modulus: bigint): bigint | undefined {
  let [one, other, factor, next] = [number, modulus, 1n, 0n];
  while (other !== 0n) {
    const times = one / other;
    [one, other, factor, next] = [other, one - times * other, next, factor - times * next];
  }
  return one === 1n ? ((factor % modulus) + modulus) % modulus : undefined;
}
