/** What is used of saxen, which has no types of its own. */
declare module "saxen" {
  type DecodeEntities = (text: string) => string;

  export class Parser {
    on(
      event: "openTag",
      handler: (
        name: string,
        attributes: () => Record<string, string> | false,
        decode: DecodeEntities,
      ) => void,
    ): this;
    on(event: "closeTag", handler: (name: string) => void): this;
    on(event: "text", handler: (text: string, decode: DecodeEntities) => void): this;
    on(event: "cdata", handler: (text: string) => void): this;
    on(event: "error" | "warn", handler: (error: Error) => void): this;
    parse(xml: string): unknown;
    /** Ends `parse` after the handler that calls it. */
    stop(): void;
  }
}
