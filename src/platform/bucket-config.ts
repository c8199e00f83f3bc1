/** An S3 bucket, with its credentials. */
export interface BucketConfig {
  /** "https://host/bucket", without a trailing slash. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Text = (name: string) => string | undefined;

/**
 * Reads the variables of the pictures' bucket. Returns undefined if there are none: pictures are then on disk. Throws
 * the error of `fail`, which gets one line for the operator, if some are missing.
 */
export function readBucketConfig(
  text: Text,
  urlOf: (name: string, text: string) => string,
  fail: (problem: string) => Error,
): BucketConfig | undefined {
  const url = text("MEDIA_S3_URL");
  const region = text("MEDIA_S3_REGION");
  const accessKeyId = text("MEDIA_S3_ACCESS_KEY_ID");
  const secretAccessKey = text("MEDIA_S3_SECRET_ACCESS_KEY");
  const given = [url, region, accessKeyId, secretAccessKey].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (
    url === undefined ||
    region === undefined ||
    accessKeyId === undefined ||
    secretAccessKey === undefined
  ) {
    throw fail(
      "MEDIA_S3_URL, MEDIA_S3_REGION, MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY are set together.",
    );
  }
  return { url: urlOf("MEDIA_S3_URL", url), region, accessKeyId, secretAccessKey };
}
