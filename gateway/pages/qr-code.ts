import { LRUCache } from "lru-cache";
import { encode } from "uqr";
import { html, type Html } from "./html.ts";

const CODE = { border: 4, ecc: "M" } as const;
const PNG_PIXELS = 1024;

// A code takes 8 ms, and a waiting payer's page asks for the same one again and again. Each has some 20 KB.
const drawn = new LRUCache<string, Html>({ max: 200 });

/** Returns the text as a QR code. The page must also show it as text. */
export function qrCode(text: string): Html {
  const known = drawn.get(text);
  if (known !== undefined) return known;
  const code = draw(text);
  drawn.set(text, code);
  return code;
}

function draw(text: string): Html {
  const { data, size } = encode(text, CODE);
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return html`<svg viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" aria-hidden="true">
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path d="${squares.join("")}" />
  </svg>`;
}

/** Returns the text as a QR code in PNG, at most 1024 pixels on a side. */
export async function qrPng(text: string): Promise<Buffer> {
  const { data, size } = encode(text, CODE);
  const pixels = Uint8Array.from(data.flat(), (isDark) => (isDark ? 0 : 255));
  const side = size * Math.floor(PNG_PIXELS / size);
  const { default: sharp } = await import("sharp");
  return await sharp(pixels, { raw: { width: size, height: size, channels: 1 } })
    .resize({ width: side, height: side, kernel: "nearest" })
    .png()
    .toBuffer();
}
