import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { CertificatePair } from "./options.ts";

// X.509 version 3 in DER (RFC 5280), as far as a bank on this machine needs it: node:crypto reads certificates and
// makes none.

const HOUR_MS = 3_600_000;
const DAYS = 365;
const OID = {
  commonName: [0x55, 0x04, 0x03],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  keyUsage: [0x55, 0x1d, 0x0f],
  alternativeName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
  extendedKeyUsage: [0x55, 0x1d, 0x25],
  serverAuth: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01],
  clientAuth: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02],
};
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
};
const TRUE = der(TAG.boolean, [0xff]);
const KEY_CERT_SIGN = der(TAG.bits, [0x02, 0x04]);
const DIGITAL_SIGNATURE = der(TAG.bits, [0x07, 0x80]);

/** An authority that issues certificates for a year. */
export interface Authority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  /** Returns a certificate of this name, for a server and a client on this machine. */
  issue(name: string): CertificatePair;
}

export function newAuthority(name: string): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const constraints = extension(OID.basicConstraints, sequence(TRUE), true);
  const cert = certificate(name, name, own.publicKey, own.privateKey, [
    constraints,
    extension(OID.keyUsage, KEY_CERT_SIGN, true),
  ]);
  return {
    cert,
    issue: (subject) => {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
      const names = sequence(der(TAG.dnsName, Buffer.from("localhost")), der(TAG.ipAddress, [127, 0, 0, 1]));
      const issued = certificate(subject, name, publicKey, own.privateKey, [
        extension(OID.basicConstraints, sequence(), true),
        extension(OID.keyUsage, DIGITAL_SIGNATURE, true),
        extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth), oid(OID.clientAuth)), false),
        extension(OID.alternativeName, names, false),
      ]);
      return { cert: issued, key: privateKey.export({ type: "pkcs8", format: "pem" }) };
    },
  };
}

function certificate(
  subject: string,
  issuer: string,
  publicKey: KeyObject,
  signer: KeyObject,
  extensions: readonly Buffer[],
): string {
  const now = Date.now();
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const signed = sequence(
    der(TAG.version, der(TAG.integer, [2])),
    // A first byte of 1 keeps the number positive.
    der(TAG.integer, [1, ...randomBytes(15)]),
    algorithm,
    distinguished(issuer),
    sequence(time(now - HOUR_MS), time(now + DAYS * 24 * HOUR_MS)),
    distinguished(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(TAG.extensions, sequence(...extensions)),
  );
  const signature = der(TAG.bits, [0, ...sign("sha256", signed, signer)]);
  const lines =
    sequence(signed, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extension(id: readonly number[], value: Buffer, isCritical: boolean): Buffer {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), der(TAG.bytes, value));
}

function distinguished(commonName: string): Buffer {
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8, Buffer.from(commonName)))));
}

/** A time until 2049, in the short form that it must have. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, "");
  return der(TAG.time, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return der(TAG.oid, bytes);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, Buffer.concat(parts));
}

function der(tag: number, content: readonly number[] | Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), Buffer.from(content)]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
