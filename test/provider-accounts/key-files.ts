import { createCipheriv, pbkdf2Sync, type KeyObject } from "node:crypto";

// Keys and PKCS#12 in DER (RFC 5958, 7292, 8018), as far as it takes to ask for any amount of work.

export const PASSPHRASE = "secret";

/** Returns a value with a length of four bytes. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function bytes(content: Buffer): Buffer {
  return der(0x04, content);
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const content = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return der(0x02, ...((content[0] ?? 0) & 0x80 ? [Buffer.alloc(1)] : []), content);
}

const SALT = bytes(Buffer.alloc(8, 7));
const NULL = Buffer.from([0x05, 0x00]);
const IV = Buffer.alloc(16, 9);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const PKCS7 = "2a864886f70d0107";
const BAGS = "2a864886f70d010c0a01";
const PBES2 = oid("2a864886f70d01050d");
const PBKDF2 = oid("2a864886f70d01050c");
const HMAC_SHA256 = sequence(oid("2a864886f70d0209"), NULL);
const AES_256_CBC = sequence(oid("60864801650304012a"), bytes(IV));

// Past it a file only asks for the rounds: its key is not theirs.
const ROUNDS_DONE = 250_000;

/** Returns what asks for some rounds before it decrypts, and the text encrypted so. */
function encrypted(text: Buffer, rounds: number): { algorithm: Buffer; content: Buffer } {
  const key = pbkdf2Sync(PASSPHRASE, Buffer.alloc(8, 7), Math.min(rounds, ROUNDS_DONE), 32, "sha256");
  const cipher = createCipheriv("aes-256-cbc", key, IV);
  const derivation = sequence(PBKDF2, sequence(SALT, integer(rounds), HMAC_SHA256));
  return {
    algorithm: sequence(PBES2, sequence(derivation, AES_256_CBC)),
    content: Buffer.concat([cipher.update(text), cipher.final()]),
  };
}

/** Returns a DSA key with numbers of so many bytes, without its public one: to read it takes work by their cube. */
export function dsaKey(size: number): string {
  const [modulus, secret] = [der(0x02, Buffer.alloc(1), Buffer.alloc(size, 0xff)), Buffer.alloc(size, 0x7f)];
  const parameters = sequence(oid("2a8648ce380401"), sequence(modulus, integer(7), integer(3)));
  const text = sequence(integer(0), parameters, bytes(der(0x02, secret))).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
}

/** Returns a key encrypted with so many rounds. */
export function encryptedKey(key: KeyObject, rounds: number): Buffer {
  const { algorithm, content } = encrypted(key.export({ type: "pkcs8", format: "der" }), rounds);
  return sequence(algorithm, bytes(content));
}

/** One part of PKCS#12: bags of a kind in the open, or encrypted. */
export function openPart(...bags: readonly Buffer[]): Buffer {
  return sequence(oid(`${PKCS7}01`), der(0xa0, bytes(sequence(...bags))));
}

export function encryptedPart(rounds: number, ...bags: readonly Buffer[]): Buffer {
  const { algorithm, content } = encrypted(sequence(...bags), rounds);
  const inner = sequence(oid(`${PKCS7}01`), algorithm, der(0x80, content));
  return sequence(oid(`${PKCS7}06`), der(0xa0, sequence(integer(0), inner)));
}

/** A key in a bag of its own, encrypted. */
export function keyBag(key: KeyObject, rounds: number): Buffer {
  return sequence(oid(`${BAGS}02`), der(0xa0, encryptedKey(key, rounds)));
}

export function certificateBag(pem: string): Buffer {
  const certificate = bytes(Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64"));
  const inner = sequence(oid("2a864886f70d01091601"), der(0xa0, certificate));
  return sequence(oid(`${BAGS}03`), der(0xa0, inner));
}

/** Returns PKCS#12 without a code of authenticity, which OpenSSL reads too. */
export function pkcs12(...parts: readonly Buffer[]): Buffer {
  return sequence(integer(3), sequence(oid(`${PKCS7}01`), der(0xa0, bytes(sequence(...parts)))));
}
