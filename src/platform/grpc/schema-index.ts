import {
  createRegistry,
  toBinary,
  type DescExtension,
  type DescFile,
  type DescService,
  type Registry,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The files of some services and of all that these import, by what they declare. */
export class SchemaIndex {
  readonly serviceNames: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #types: Registry;

  constructor(services: readonly DescService[]) {
    this.serviceNames = services.map(({ typeName }) => typeName);
    for (const { file } of services) this.#add(file);
    this.#types = createRegistry(...this.#files.values());
  }

  fileNamed(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** The file that declares a type, or a member of one: a method, a field, an enum's value. */
  fileDeclaring(symbol: string): DescFile | undefined {
    const name = symbol.replace(/^\./, "");
    const type = this.#types.get(name) ?? this.#types.get(name.slice(0, Math.max(0, name.lastIndexOf("."))));
    return type?.file;
  }

  /** The extensions of a message; undefined when the message itself is unknown. */
  extensionsOf(typeName: string): DescExtension[] | undefined {
    if (!this.#types.getMessage(typeName)) return undefined;
    return [...this.#types].filter(
      (type): type is DescExtension => type.kind === "extension" && type.extendee.typeName === typeName,
    );
  }

  #add(file: DescFile): void {
    const name = file.proto.name;
    if (this.#files.has(name)) return;
    for (const imported of file.dependencies) this.#add(imported);
    this.#files.set(name, file);
  }
}

/** The file and all that it imports as FileDescriptorProtos, imports first; those in `sent` are left out and added. */
export function serializedFiles(file: DescFile, sent: Set<string>): Uint8Array[] {
  const { name } = file.proto;
  if (sent.has(name)) return [];
  sent.add(name);
  const imports = file.dependencies.flatMap((imported) => serializedFiles(imported, sent));
  return [...imports, toBinary(FileDescriptorProtoSchema, file.proto)];
}
