/** A path of google.api.http, taken apart. */
export interface PathTemplate {
  /** The same path as Fastify writes it. */
  readonly url: string;
  /** Proto names of the fields that the path sets. */
  readonly fieldNames: readonly string[];
}

/** Takes apart a path whose variables are whole segments, "/v1/quotes/{id}/accept". Throws for any other form. */
export function parsePathTemplate(path: string): PathTemplate {
  const fieldNames: string[] = [];
  const segments = path.split("/").map((segment) => {
    const name = /^\{([a-z][a-z0-9_]*)\}$/.exec(segment)?.[1];
    if (name !== undefined) {
      fieldNames.push(name);
      return `:${name}`;
    }
    if (!/^[A-Za-z0-9._-]*$/.test(segment)) throw new Error(`The path ${path} is of a form that is not supported`);
    return segment;
  });
  return { url: segments.join("/"), fieldNames };
}
