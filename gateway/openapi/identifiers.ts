// 26 characters of Crockford's base 32: a UUID of version 7 in TypeID's notation.
const SAMPLE_SUFFIX = "01kdzfatn8f7s8wv8q7z5h3m2c";
const SUFFIX_PATTERN = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/** Returns the pattern of identifiers with a prefix: "pl" for payment links. */
export function idPattern(prefix: string): string {
  return `^${prefix}_${SUFFIX_PATTERN}$`;
}

export function sampleId(prefix: string): string {
  return `${prefix}_${SAMPLE_SUFFIX}`;
}
