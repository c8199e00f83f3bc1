/** A field of a request that is set only where something was typed. */
export function given<Name extends string>(name: Name, text: string): { readonly [Key in Name]?: string } {
  return (text === "" ? {} : { [name]: text }) as { readonly [Key in Name]?: string };
}

/** Addresses, one a line, of any number of fields. */
export function addressesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(/\r?\n/))
    .flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
