/** Returns an object with the field, or an empty one if the text is empty. */
export function given<Name extends string>(name: Name, text: string): { readonly [Key in Name]?: string } {
  return (text === "" ? {} : { [name]: text }) as { readonly [Key in Name]?: string };
}

/** Returns the addresses in any number of fields, one a line. */
export function addressesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(/\r?\n/))
    .flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
