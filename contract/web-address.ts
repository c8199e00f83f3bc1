// The text between scheme and path is a host's name of 253 characters at most, with a port and what else is refused later.
const AUTHORITY_MAX = 300;
// They are no part of a URL, wherever they are.
const IGNORED = /[\t\n\r]/g;
const AUTHORITY = /^[^:]*:[/\\]*([^/\\?#]*)/;

/**
 * Parses an untrusted text. Returns null if it is not a URL, or if its host is longer than a DNS name can be: in scripts
 * other than Latin, parsing takes time by the square of the length, some 8 ms for 2,000 characters.
 */
export function webAddress(text: string): URL | null {
  const [, authority = text] = AUTHORITY.exec(text.replaceAll(IGNORED, "")) ?? [];
  return authority.length > AUTHORITY_MAX ? null : URL.parse(text);
}
