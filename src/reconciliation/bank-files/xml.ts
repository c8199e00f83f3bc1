import { Parser } from "saxen";
import { UnreadableFile } from "./line-list.ts";

export type Attributes = Readonly<Record<string, string>>;

/** Handlers of XML. Names come without their prefixes. */
interface XmlHandlers {
  open(name: string, attributes: () => Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads XML. Throws UnreadableFile if it is malformed, and what a handler throws. Entities of a document type are not
 * expanded.
 */
export function readXml(xml: string, handlers: XmlHandlers): void {
  const parser = new Parser();
  const failures: unknown[] = [];
  const handle = (handler: () => void): void => {
    if (failures.length > 0) return;
    try {
      handler();
    } catch (error) {
      // The parser would take it for its own.
      failures.push(error);
      parser.stop();
    }
  };
  const fail = (): void => handle(() => throwMalformed());
  parser.on("error", fail).on("warn", fail);
  parser.on("openTag", (name, attributes, decode) =>
    handle(() => handlers.open(localName(name), () => attributesOf(attributes(), decode))),
  );
  parser.on("closeTag", (name) => handle(() => handlers.close?.(localName(name))));
  parser.on("text", (text, decode) => handle(() => handlers.text?.(decode(text))));
  parser.on("cdata", (text) => handle(() => handlers.text?.(text)));
  parser.parse(xml);
  if (failures.length > 0) throw failures[0];
}

function attributesOf(
  attributes: Readonly<Record<string, string>> | false,
  decode: (text: string) => string,
): Attributes {
  if (attributes === false) throwMalformed();
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [localName(name), decode(value)]),
  );
}

function throwMalformed(): never {
  throw new UnreadableFile("the workbook is damaged: its XML is malformed");
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
