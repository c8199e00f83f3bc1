import { webAddress } from "../../contract/web-address.ts";

/** Returns the pictures that a page may show: over http, only those of this service, as on a developer's machine. */
export function shownPictures(addresses: readonly string[], origin: string): readonly string[] {
  return addresses.filter((address) => {
    const url = webAddress(address);
    return url?.protocol === "https:" || (url?.origin === origin && url.pathname.startsWith("/media/"));
  });
}
