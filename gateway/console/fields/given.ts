/** A field of a request that is set only where something was typed. */
export function given<Name extends string>(name: Name, text: string): { readonly [Key in Name]?: string } {
  return (text === "" ? {} : { [name]: text }) as { readonly [Key in Name]?: string };
}
