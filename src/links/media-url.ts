import { invalidRequest, type PaylinkError } from "../platform/errors.ts";

/** Refuses pictures that the service does not host. Error: invalid_request on media_urls. */
export function checkMediaUrls(urls: readonly string[], mediaBase: string): void {
  for (const url of urls) {
    // Parsing first prevents "/../" or credentials from making a foreign address look like one of ours.
    const parsed = URL.parse(url);
    if (!parsed || parsed.href !== url || !url.startsWith(`${mediaBase}/`)) {
      throw invalidRequest("media_urls", `media_urls must lie under ${mediaBase}/.`);
    }
  }
}

/** Returns the error for an address at which the caller has no picture. */
export function unknownPicture(): PaylinkError {
  return invalidRequest("media_urls", "media_urls must be addresses of pictures that were uploaded here.");
}
