const SAMPLE_SUFFIX = "01kdzfatn8f7s8wv8q7z5h3m2c";

/** Returns an id for examples. */
export function sampleId(prefix: string): string {
  return `${prefix}_${SAMPLE_SUFFIX}`;
}
