import { readBrCode, writeBrCode, type ReadBrCode } from "./br-code.ts";
import type { ChargeRequest, PixCode } from "./ports.ts";
import { ProviderFault } from "./provider-fault.ts";

// The form needs a city, which neither a payment nor a payee has.
const CITY = "BRASIL";
// The central bank's limit. A QR code holds not many more.
const CODE_CHARACTERS_MAX = 512;

// What a code may say of it, and what a payer's bank reads in it.
const LOCATION = /^[!-~]{1,77}$/;
// The database keeps no NUL, and no payer's bank reads any of these.
const CONTROL = /\p{Cc}/u;

/**
 * Returns the code that a payer may see: the provider's own one, or one made from its location. Throws ProviderFault if
 * the code is missing or damaged, its location cannot be written in one, leads to no location or to another one than the
 * provider's, or asks for another amount. A dynamic code may leave its amount to the charge at the location.
 */
export function checkedCode({ code, location }: PixCode, request: ChargeRequest): string {
  const { reference, amountMinor, merchantName } = request;
  if (code === null) {
    if (location === null) throw wrongCode(reference, "is missing");
    if (!LOCATION.test(location))
      throw wrongCode(reference, "is missing, and cannot be made of its location");
    return writeBrCode({ location, amountMinor, merchantName, merchantCity: CITY });
  }
  if (code.length > CODE_CHARACTERS_MAX) throw wrongCode(reference, "is too long");
  if (CONTROL.test(code)) throw wrongCode(reference, "is damaged");
  const read = readProviderCode(code, reference);
  // A static code's money would belong to no charge.
  if (read.location === null) throw wrongCode(reference, "leads to no location");
  if (location !== null && read.location !== location) {
    throw wrongCode(reference, "leads to another location");
  }
  if (read.amountMinor !== null && read.amountMinor !== amountMinor) {
    throw wrongCode(reference, "asks for another amount");
  }
  return code;
}

function readProviderCode(code: string, reference: string): ReadBrCode {
  try {
    return readBrCode(code);
  } catch (error) {
    if (error instanceof RangeError) throw wrongCode(reference, "is damaged");
    throw error;
  }
}

function wrongCode(reference: string, what: string): ProviderFault {
  return new ProviderFault("unknown", `the provider's code of ${reference} ${what}`, { code: "wrong_code" });
}
