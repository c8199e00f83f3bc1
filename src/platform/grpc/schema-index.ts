import {
  createRegistry,
  toBinary,
  type DescExtension,
  type DescFile,
  type DescService,
  type Registry,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { file_google_rpc_error_details } from "#schemas/google/rpc/error_details_pb.js";

/** An index of the services' files, of the files of error details, and of all their imports, by their declarations. */
export class SchemaIndex {
  readonly serviceNames: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #types: Registry;

  constructor(services: readonly DescService[]) {
    this.serviceNames = services.map(({ typeName }) => typeName);
    const ofErrors = [file_google_rpc_error_details, file_buf_validate_validate];
    for (const file of [...services.map((service) => service.file), ...ofErrors]) this.#add(file);
    this.#types = createRegistry(...this.#files.values());
  }

  fileNamed(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** Returns the file that declares a type or a member of one: a method, a field, an enum's value. */
  fileDeclaring(symbol: string): DescFile | undefined {
    const name = symbol.replace(/^\./, "");
    const type = this.#types.get(name) ?? this.#types.get(name.slice(0, Math.max(0, name.lastIndexOf("."))));
    return type?.file;
  }

  /** Returns the extensions of a message, or undefined if the message is unknown. */
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

/**
 * Returns the file and all its imports as FileDescriptorProtos, imports first. Files in `sent` are left out; the others
 * are added to it.
 */
export function serializedFiles(file: DescFile, sent: Set<string>): Uint8Array[] {
  const { name } = file.proto;
  if (sent.has(name)) return [];
  sent.add(name);
  const imports = file.dependencies.flatMap((imported) => serializedFiles(imported, sent));
  return [...imports, serialized(file)];
}

const serializations = new WeakMap<DescFile, Uint8Array>();

function serialized(file: DescFile): Uint8Array {
  const known = serializations.get(file);
  if (known) return known;
  const bytes = toBinary(FileDescriptorProtoSchema, file.proto);
  serializations.set(file, bytes);
  return bytes;
}
