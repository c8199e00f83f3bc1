import { expect, test } from "vitest";
import { shownPictures } from "../../gateway/checkout/pictures.ts";
import { readEndpointUrl } from "../../src/webhooks/endpoint-address.ts";
import { webAddress } from "../../contract/web-address.ts";

/** 2,000 letters of Chinese. */
const LONG = String.fromCodePoint(...Array.from({ length: 2000 }, (_, index) => 0x4e00 + index));

test.each([
  `https://${LONG}.com/`,
  ` HTTPS:${LONG}.com`,
  `https:/\t/${LONG}.com/`,
  `https:\\\\\n${LONG}.com?x`,
  `https://user:secret@${LONG}.com/`,
  `http://${LONG}:8080#x`,
])("a host that is longer than any name is no URL's: %#", (text) => {
  expect(webAddress(text)).toBeNull();
});

test("what is long elsewhere is a URL, and so is a name in any script", () => {
  const path = `/${"x".repeat(1900)}`;
  expect(webAddress(`https://pictures.example${path}?${LONG}`)?.pathname).toBe(path);
  expect(webAddress("https://bücher.example/x.png")?.host).toBe("xn--bcher-kva.example");
  expect(webAddress(`https://${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example/`)).not.toBeNull();
  expect(webAddress("no address")).toBeNull();
});

test("a page shows no picture of such a host, and no endpoint is there", () => {
  const good = "https://pictures.example/x.png";
  expect(shownPictures([`https://${LONG}.com/x.png`, good], "http://127.0.0.1:8080")).toEqual([good]);
  const read = () => readEndpointUrl(`https://${LONG}.com/`, { isLoopbackAllowed: false });
  expect(read).toThrow("url is not a URL.");
});
