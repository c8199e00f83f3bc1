import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv, type ValidateFunction } from "ajv";
import { parse } from "yaml";
import { BASE, type ReceivedRequest } from "../../tools/bank/answering.ts";

const FOLDER = join(import.meta.dirname, "../../../shared/providers");
const FILE = join(FOLDER, "bacen-pix-api-2.9.0.openapi.yaml");
const CORRECTION = join(FOLDER, "bacen-correct.mjs");

export const isOfficialFileThere = existsSync(FILE) && existsSync(CORRECTION);

type Node = Readonly<Record<string, unknown>>;

/** Checks requests and answers by the central bank's own file, corrected where its own examples break it. */
export class OfficialFile {
  readonly #ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false });
  readonly #coercing = new Ajv({ strict: false, coerceTypes: true });
  readonly #document: Node;
  readonly #compiled = new Map<string, ValidateFunction>();

  private constructor(document: Node) {
    this.#document = document;
    for (const ajv of [this.#ajv, this.#coercing]) {
      const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
      ajv.addFormat("date-time", isTime);
      ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
      ajv.addFormat("uri", (text) => URL.canParse(text));
      ajv.addFormat("int32", { type: "number", validate: (value) => Math.abs(value) < 2 ** 31 });
      ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
      ajv.addSchema(document, "bacen");
    }
  }

  static async read(): Promise<OfficialFile> {
    const folder = await mkdtemp(join(tmpdir(), "paylink-bacen-"));
    try {
      const corrected = join(folder, "corrected.yaml");
      await promisify(execFile)(process.execPath, [CORRECTION, FILE, corrected]);
      return new OfficialFile(parse(await readFile(corrected, "utf8")) as Node);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** Returns what a request and its answer break. */
  violations({ method, path, query, headers, text, status, answer }: ReceivedRequest): string[] {
    const own = path.slice(BASE.length);
    const template = Object.keys(this.#at("/paths")).find(
      (name) =>
        method.toLowerCase() in this.#at(`/paths/${escaped(name)}`) &&
        new RegExp(`^${name.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(own),
    );
    if (template === undefined) return [`${method} ${own} is not in the file`];
    const at = `/paths/${escaped(template)}/${method.toLowerCase()}`;
    const { contentType, names } = { contentType: headers["content-type"], names: namesIn(template, own) };
    return [
      ...this.#parameters(`/paths/${escaped(template)}`, at, { ...query, ...names }),
      ...(text === ""
        ? []
        : this.#body(this.#resolved(`${at}/requestBody`), contentType ?? "", text, "request")),
      ...(status === null ? [] : this.#answer(at, status, answer)),
    ];
  }

  #answer(at: string, status: number, text: string): string[] {
    if (!(String(status) in this.#at(`${at}/responses`))) return [`status ${status} is not in the file`];
    if (text === "") return [];
    const type = status < 300 ? "application/json" : "application/problem+json";
    return this.#body(this.#resolved(`${at}/responses/${status}`), type, text, "answer");
  }

  #body(at: string, contentType: string, text: string, what: string): string[] {
    const { content = {} } = this.#at(at) as { content?: Node };
    if (!(contentType in content)) return [`${what}: ${contentType} is not in the file`];
    const validate = this.#validator(`${at}/content/${escaped(contentType)}/schema`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return [`${what}: no JSON`];
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map((one) => `${what}${one.instancePath}: ${one.message ?? ""}`);
  }

  #parameters(shared: string, own: string, values: Readonly<Record<string, string>>): string[] {
    const found: string[] = [];
    const known = new Set<string>();
    for (const list of [`${shared}/parameters`, `${own}/parameters`]) {
      // An array has its indices as keys.
      for (const index of Object.keys(this.#at(list) ?? {})) {
        const at = this.#resolved(`${list}/${index}`);
        const { name, required = false } = this.#at(at) as { name: string; required?: boolean };
        known.add(name);
        const holder = values[name] === undefined ? {} : { value: values[name] };
        if (required && values[name] === undefined) found.push(`parameter ${name}: absent`);
        const schema = { type: "object", properties: { value: { $ref: reference(`${at}/schema`) } } };
        if (!this.#coercing.validate(schema, holder))
          found.push(`parameter ${name}: ${String(values[name])}`);
      }
    }
    return [
      ...found,
      ...Object.keys(values).flatMap((name) => (known.has(name) ? [] : [`parameter ${name}: unknown`])),
    ];
  }

  #validator(at: string): ValidateFunction {
    const compiled = this.#compiled.get(at) ?? this.#ajv.compile({ $ref: reference(at) });
    this.#compiled.set(at, compiled);
    return compiled;
  }

  #at(pointer: string): Node {
    let node: unknown = this.#document;
    for (const part of pointer.split("/").slice(1)) {
      node = (node as Node | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    return node as Node;
  }

  /** Follows a reference of the file to its end. */
  #resolved(pointer: string): string {
    const { $ref: to } = this.#at(pointer) as { $ref?: string };
    return to === undefined ? pointer : this.#resolved(to.slice(1));
  }
}

function reference(pointer: string): string {
  return `bacen#${pointer.split("/").map(encodeURIComponent).join("/")}`;
}

function escaped(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

function namesIn(template: string, path: string): Record<string, string> {
  const parts = path.split("/");
  return Object.fromEntries(
    template.split("/").flatMap((part, index) => {
      const name = /^\{(.+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(parts[index] ?? "")]];
    }),
  );
}
