import { webAddress } from "../../contract/web-address.ts";
import { invalidRequest, type PaylinkError } from "../platform/rpc/errors.ts";

/** Refuses pictures that the service does not host. Error: invalid_request on `param`. */
export function checkMediaUrls(urls: readonly string[], mediaBase: string, param = "media_urls"): void {
  for (const url of urls) {
    // Parsing first prevents "/../" or credentials from making a foreign address look like one of ours.
    const parsed = webAddress(url);
    if (!parsed || parsed.href !== url || !url.startsWith(`${mediaBase}/`)) {
      throw invalidRequest(param, `${param} must lie under ${mediaBase}/.`);
    }
  }
}

/** Returns the error for an address at which the caller has no picture. */
export function unknownPicture(param = "media_urls"): PaylinkError {
  return invalidRequest(param, `${param} must be addresses of pictures that were uploaded here.`);
}
