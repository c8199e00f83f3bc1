// The rule of `buf.validate`'s `string.email`, which is that of HTML, with a dot: an address on the internet has one.
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const EMAIL = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})+$`);

/** Returns true for an e-mail address that an invitation would be sent to. */
export function isEmailAddress(text: string): boolean {
  return EMAIL.test(text);
}
