import type { FastifyReply } from "fastify";
import type { Permission } from "../../contract/roles.ts";
import type { Problems } from "./problems.ts";
import type { Visit } from "./visit.ts";

export type Show = (visit: Visit) => Promise<FastifyReply>;

/** A page or a file of the console. It changes nothing. */
export interface PageRoute {
  readonly kind: "page";
  readonly path: string;
  readonly permission: Permission | "signed_in";
  readonly show: Show;
}

/** A form of the console and the change that it makes. */
export interface ChangeRoute {
  readonly kind: "change";
  readonly path: string;
  readonly permission: Permission | "signed_in";
  /**
   * Returns all that the form itself shows to be wrong, which is shown together with a wrong password. The core names
   * what it refuses by its own checks only after that. Nothing is changed while there is any.
   */
  readonly faults?: (visit: Visit) => Promise<Problems> | Problems;
  /** Makes the change and redirects to a page. A refusal by the core and a FormProblem go to `refused`. */
  readonly act: Show;
  /** Shows the form again with its values and problems. Absent: a page with the problems. */
  readonly refused?: (visit: Visit, problems: Problems) => Promise<FastifyReply>;
  /** True: the form's `password` must be the user's own. */
  readonly isConfirmed?: boolean;
  /** The form is multipart with one file, of which at most this many bytes are kept. `fileOf` returns it. */
  readonly fileBytesMax?: number;
}

export type ConsoleRoute = PageRoute | ChangeRoute;

/** Collects the routes of the console's rooms. Their paths are below "/console/:mode". */
export class ConsoleRoutes {
  readonly all: ConsoleRoute[] = [];

  page(path: string, permission: PageRoute["permission"], show: Show): void {
    this.all.push({ kind: "page", path, permission, show });
  }

  change(
    path: string,
    permission: ChangeRoute["permission"],
    steps: Omit<ChangeRoute, "kind" | "path" | "permission">,
  ): void {
    this.all.push({ kind: "change", path, permission, ...steps });
  }
}
