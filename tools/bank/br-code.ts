// Written apart from ../src/providers/br-code.ts, so that the two check each other.

const PAYEE = { name: "LOJA DE TESTE", city: "SAO PAULO" };

/** Returns the text of a dynamic BR Code. Without an amount the payer's bank reads it at the location. */
export function brCode(location: string, amount: string | null): string {
  const account = part("00", "br.gov.bcb.pix") + part("25", location);
  const text = [
    part("00", "01"),
    part("01", "12"),
    part("26", account),
    part("52", "0000"),
    part("53", "986"),
    amount === null ? "" : part("54", amount),
    part("58", "BR"),
    part("59", PAYEE.name),
    part("60", PAYEE.city),
    part("62", part("05", "***")),
    "6304",
  ].join("");
  return text + checksum(text);
}

/** Returns the code with a checksum that is not its own. */
export function damaged(code: string): string {
  const last = code.at(-1) === "0" ? "1" : "0";
  return code.slice(0, -1) + last;
}

function part(id: string, value: string): string {
  return id + String(value.length).padStart(2, "0") + value;
}

/** CRC-16/CCITT-FALSE, in four hex digits. */
function checksum(text: string): string {
  let register = 0xff_ff;
  for (const byte of Buffer.from(text)) {
    for (let bit = 7; bit >= 0; bit--) {
      const isSet = ((register >> 15) ^ (byte >> bit)) & 1;
      register = ((register << 1) & 0xff_ff) ^ (isSet ? 0x10_21 : 0);
    }
  }
  return register.toString(16).toUpperCase().padStart(4, "0");
}
