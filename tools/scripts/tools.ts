/** What generates the code of the standard schemas, and what bundles packages. */
export const TOOLS = ["@bufbuild/buf", "@bufbuild/protoc-gen-es", "rolldown"] as const;

/** The part of a lock file that is used here. */
export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly link?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Returns the manifest and the lock file of a folder that has the tools alone. npm leaves out what they do not need. */
export function toolsOf({ lockfileVersion, packages }: Lock): { manifest: object; lock: object } {
  const versions = packages[""]?.devDependencies ?? {};
  const manifest = {
    name: "tools",
    private: true,
    dependencies: Object.fromEntries(TOOLS.map((name) => [name, versions[name]])),
  };
  const locked = Object.entries(packages).filter(
    ([path, { link }]) => path.startsWith("node_modules/") && link !== true,
  );
  const lock = { name: "tools", lockfileVersion, packages: { "": manifest, ...Object.fromEntries(locked) } };
  return { manifest, lock };
}
