import { UnreadableFile } from "./line-list.ts";
import { partsOf } from "./xlsx-parts.ts";
import { readXml, type Attributes } from "./xml.ts";

/** What is read of an XLSX: its first sheet, as XML, and what its cells refer to. */
export interface Workbook {
  readonly sheet: string;
  readonly sharedTexts: readonly string[];
  /** Whether days count from 1904 on, as once on a Macintosh. */
  readonly isFrom1904: boolean;
}

const BOOK = "xl/workbook.xml";
const RELATIONS = "xl/_rels/workbook.xml.rels";
const SHARED_TEXTS = "/sharedStrings";

/** Opens an XLSX. Throws UnreadableFile if it is damaged, or too large once it is unpacked. */
export function openWorkbook(bytes: Uint8Array): Workbook {
  const parts = partsOf(bytes);
  let [firstId, isFrom1904] = ["", false];
  readXml(partAt(parts, BOOK), {
    open: (name, attributes) => {
      if (name === "workbookPr") isFrom1904 = ["1", "true"].includes(attributes()["date1904"] ?? "");
      if (name === "sheet") firstId ||= attributes()["id"] ?? "";
    },
  });
  const relations: Attributes[] = [];
  readXml(partAt(parts, RELATIONS), {
    open: (name, attributes) => {
      if (name === "Relationship") relations.push(attributes());
    },
  });
  const sheet = relations.find(({ Id }) => Id === firstId);
  if (!sheet) throw new UnreadableFile("the workbook has no sheet");
  const shared = relations.find(({ Type = "" }) => Type.endsWith(SHARED_TEXTS));
  return {
    sheet: partAt(parts, pathOf(sheet)),
    sharedTexts: shared ? sharedTextsIn(partAt(parts, pathOf(shared))) : [],
    isFrom1904,
  };
}

function sharedTextsIn(xml: string): string[] {
  const texts: string[] = [];
  let [text, isText, isPhonetic] = ["", false, false];
  readXml(xml, {
    open: (name) => {
      if (name === "si") text = "";
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
    },
    close: (name) => {
      if (name === "si") texts.push(text);
      if (name === "rPh") isPhonetic = false;
      isText = false;
    },
    text: (more) => {
      if (isText) text += more;
    },
  });
  return texts;
}

function partAt(parts: ReadonlyMap<string, string>, path: string): string {
  const part = parts.get(path);
  if (part === undefined) throw new UnreadableFile("the file is a ZIP, and no workbook of Excel");
  return part;
}

/** Returns the path of a relation's part: its own is of the folder xl, or of the whole file. */
function pathOf({ Target = "" }: Attributes): string {
  return Target.startsWith("/") ? Target.slice(1) : `xl/${Target}`;
}
