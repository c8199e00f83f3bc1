import { ProviderSettingKind, type Provider } from "../../gen/paylink/providers/v1/providers_pb.ts";

const PEM = "-----BEGIN ";

/**
 * Reads an account's settings from the JSON of its file: of the providers' settings, one that is an object's part is named
 * "callback.proof". The text of a file, such as PEM, may be given by a path, which `read` reads. Throws Error that names
 * the field, and no value.
 */
export async function readSettings(
  text: string,
  providers: readonly Provider[],
  read: (path: string) => Promise<Buffer>,
): Promise<Record<string, string>> {
  const fields = fieldsIn(objectIn(text));
  const fits = ({ settings }: Provider): boolean =>
    fields.every(([name]) => settings.some((setting) => setting.name === name));
  const fitting = providers.find(fits);
  const settings = new Map(
    (fitting ? [fitting] : providers).flatMap((provider) =>
      provider.settings.map(({ name, kind }) => [name, kind] as const),
    ),
  );
  const values: Record<string, string> = {};
  for (const [name, value] of fields) {
    const kind = settings.get(name);
    if (kind === undefined) throw new Error(`${name} is not a field of the config.`);
    values[name] = kind === ProviderSettingKind.FILE ? await contentOf(name, value.trim(), read) : value;
  }
  return values;
}

/** Returns a PEM text, or the content of the file that is named in its place; of one without text as a data URL. */
async function contentOf(
  name: string,
  value: string,
  read: (path: string) => Promise<Buffer>,
): Promise<string> {
  if (value === "" || value.startsWith(PEM)) return value;
  const content = await read(value).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "error";
    throw new Error(`${name} is neither PEM nor a readable file (${code}).`);
  });
  return content.includes(PEM) ? content.toString("utf8") : `data:;base64,${content.toString("base64")}`;
}

/** Returns the texts of an object, those of an object in it by the names of both. */
function fieldsIn(given: Record<string, unknown>, prefix = ""): [name: string, value: string][] {
  return Object.entries(given).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (isObject(value) && prefix === "") return fieldsIn(value, `${name}.`);
    if (value === null) return [];
    if (typeof value === "string") return [[name, value]];
    const isExact = typeof value === "boolean" || Number.isSafeInteger(value);
    if (!isExact) throw new Error(`${name} must be a text.`);
    return [[name, JSON.stringify(value)]];
  });
}

function objectIn(text: string): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = undefined;
  }
  if (!isObject(read)) throw new Error("The config file must be a JSON object.");
  return read;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
