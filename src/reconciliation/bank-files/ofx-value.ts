const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
const OTHER_TAG = /<\/?[A-Z][A-Z0-9._]{0,40}>/;
const [CDATA, CDATA_END] = ["<![CDATA[", "]]>"];

/**
 * Returns the value in what follows an element's tag, up to the next known tag. An unknown tag ends it too: in a free text
 * at the begin of a line alone. Entities are decoded once; an ampersand that begins none is itself.
 */
export function valueIn(text: string, isFreeText: boolean): string {
  const trimmed = text.trim();
  if (trimmed.startsWith(CDATA) && trimmed.endsWith(CDATA_END))
    return trimmed.slice(CDATA.length, -CDATA_END.length).trim();
  const value = trimmed.includes("<") ? beforeOtherTag(text, isFreeText) : trimmed;
  return value.includes("&") ? value.replaceAll(ENTITY, decoded) : value;
}

function beforeOtherTag(text: string, isFreeText: boolean): string {
  if (!isFreeText) return text.slice(0, OTHER_TAG.exec(text)?.index).trim();
  const lines = text.split("\n");
  const end = lines.findIndex((line, index) => index > 0 && OTHER_TAG.exec(line.trimStart())?.index === 0);
  return (end === -1 ? text : lines.slice(0, end).join("\n")).trim();
}

function decoded(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name] ?? entity;
  const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = point > 0 && point <= 0x10_ff_ff && !(point >= 0xd8_00 && point <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(point) : entity;
}
