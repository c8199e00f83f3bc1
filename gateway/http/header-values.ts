/**
 * Returns every value of a header; Node's own table keeps only one of some headers, and injected requests have no
 * `headersDistinct`. `name` is in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] as string);
    }
  }
  return values;
}
