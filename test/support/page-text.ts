/** The page's text as users read it. */
export function textOf(body: string): string {
  return body
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/[\s\u00A0\u202F]+/g, " ");
}
