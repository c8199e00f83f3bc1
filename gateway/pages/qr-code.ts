import { encode } from "uqr";
import { html, type Html } from "./html.ts";

const QUIET_MODULES = 4;

/** Returns the text as a QR code. The page must also show it as text. */
export function qrCode(text: string): Html {
  const { data, size } = encode(text, { border: QUIET_MODULES, ecc: "M" });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return html`<svg viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" aria-hidden="true">
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path d="${squares.join("")}" />
  </svg>`;
}
