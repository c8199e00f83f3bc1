/** A text that would do something wherever it is taken for more than a text: markup, quotes, a formula, a turned line. */
export const HOSTILE = `=cmd|'/C calc'!A0"><script>alert(1)</script>{{7*7}}\u202Eevil`;

/** The same as a page must hold it. */
export const HOSTILE_ESCAPED = HOSTILE.replaceAll("&", "&amp;")
  .replaceAll("<", "&lt;")
  .replaceAll(">", "&gt;")
  .replaceAll('"', "&quot;")
  .replaceAll("'", "&#39;");
