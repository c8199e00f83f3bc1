import { lookup } from "node:dns";
import { hasError, parsePix, PixElementType } from "pix-utils";
import { startBank, type Bank } from "../../tools/bank/bank.ts";
import type { BankOptions, CertificatePair } from "../../tools/bank/options.ts";
import type { ApiPixAccount } from "../../src/providers/api-pix/account.ts";
import { ApiPixClient } from "../../src/providers/api-pix/client.ts";
import { TIME_LIMITS, type AddressGuard } from "../../src/providers/connection.ts";
import type { Profile } from "../../src/providers/api-pix/profile.ts";
import { PROFILES } from "../../src/providers/api-pix/profiles.ts";
import { ApiPixProvider } from "../../src/providers/api-pix/provider.ts";
import type { CallbackRegistration } from "../../src/providers/api-pix/verification.ts";
import type { ChargeRequest } from "../../src/providers/ports.ts";
import { newAuthority, type Authority } from "../support/certificates.ts";

export const KEY = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906";
export const CLIENT = { id: "Client_Id_1", secret: "Client_Secret:1", keys: [KEY, "loja@example.com"] };
export const NOW = new Date("2026-11-20T15:00:00.000Z");

// The bank's name has an IPv6 address too, where it does not listen.
export const OPEN_GUARD: AddressGuard = {
  check: (address) => new URL(address),
  lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
};

/** A bank with the authority of its certificates. */
export interface TestBank {
  readonly bank: Bank;
  readonly authority: Authority;
  /** The certificate of a client. */
  readonly identity: CertificatePair;
}

/** Starts a bank whose clock stands at `NOW`. */
export async function testBank(options: Partial<BankOptions> = {}): Promise<TestBank> {
  const authority = await newAuthority("Test Bank CA");
  const [server, identity] = await Promise.all([authority.issue(), authority.issue()]);
  const bank = await startBank({
    server,
    clientAuthority: authority.cert,
    clients: [CLIENT],
    callbacks: { authority: authority.cert },
    ...options,
  });
  bank.clock.set(NOW);
  return { bank, authority, identity };
}

/** Returns an account at the bank. */
export function accountAt({ bank, authority, identity }: TestBank): ApiPixAccount {
  return {
    id: "pva_1",
    profile: profileOf("bacen"),
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    appKey: null,
    pixKey: KEY,
    identity: { certificate: identity.cert, privateKey: identity.key },
    certificateEndsAt: null,
    ca: authority.cert,
    baseUrl: bank.baseUrl,
    tokenUrl: bank.tokenUrl,
  };
}

export function profileOf(name: string): Profile {
  const profile = PROFILES.get(name);
  if (!profile) throw new Error(`no profile ${name}`);
  return profile;
}

/** Returns a bank's profile at other addresses. */
export function movedProfile(name: string): Profile {
  const { changeBase: _, ...profile } = profileOf(name);
  return { ...profile, base: null, tokenUrl: null };
}

/** Returns the adapter of an account, with a token of its own. `answerMs`: how long it waits. */
export function connected(
  { bank }: TestBank,
  account: ApiPixAccount,
  { answerMs = TIME_LIMITS.answerMs, guard = OPEN_GUARD }: { answerMs?: number; guard?: AddressGuard } = {},
): {
  client: ApiPixClient;
  provider: ApiPixProvider;
  /** For each answer with rows that cannot be read, their number. */
  setAside: number[];
  /** What was told of the times of charges. */
  clockGaps: number[];
} {
  const { clock } = bank;
  const client = new ApiPixClient(account, { clock, guard, limits: { ...TIME_LIMITS, answerMs } });
  const setAside: number[] = [];
  const clockGaps: number[] = [];
  const provider = new ApiPixProvider(client, clock, {
    onSetAside: (count) => setAside.push(count),
    onClockGap: (seconds) => clockGaps.push(seconds),
  });
  return { client, provider, setAside, clockGaps };
}

let made = 0;

/** Returns a reference in the form of ours that no other call has. */
export function newReference(): string {
  return `pay${String(++made).padStart(26, "0")}`;
}

/** Returns a refund's id in the form of ours that no other call has. */
export function newRefundId(): string {
  return `ref_${String(++made).padStart(26, "0")}`;
}

/** Returns a request for a charge of R$ 159.90 that ends in 15 minutes. */
export function chargeRequest(given: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    reference: newReference(),
    amountMinor: 15_990n,
    merchantName: "Loja",
    description: "Pedido 42",
    expiresAt: new Date(NOW.getTime() + 900_000),
    isRepeated: false,
    ...given,
  };
}

/** Collects what an iterator yields. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(values);
}

/** Returns the kind and the code of the fault with which a promise fails. */
export async function faultOf(failing: Promise<unknown>): Promise<{ kind: string; code: string | null }> {
  try {
    await failing;
  } catch (error) {
    const { kind, code } = error as { kind: string; code: string | null };
    return { kind, code };
  }
  throw new Error("it did not fail");
}

/** Returns the location of a dynamic code as an independent library reads it, which checks the code's CRC. */
export function locationReadElsewhere(code: string): string {
  const parsed = parsePix(code);
  if (hasError(parsed) || parsed.type !== PixElementType.DYNAMIC) throw new Error("no dynamic code");
  return parsed.url;
}

/** Returns the request to set an address of callbacks in place of any other; without one, to read what is set. */
export function registrationOf(callbackUrl?: string): CallbackRegistration {
  const isRegistered = callbackUrl !== undefined;
  return { callbackUrl: callbackUrl ?? "https://pay.example.com/x", isRegistered, isReplaced: true };
}
