import type { FastifyReply } from "fastify";
import type { Permission } from "./permission.ts";
import type { Problems } from "./problems.ts";
import type { Visit } from "./visit.ts";

export type Show = (visit: Visit) => Promise<FastifyReply>;

/** A page of the console, or a file of it: shows, and changes nothing. */
export interface PageRoute {
  readonly kind: "page";
  readonly path: string;
  readonly permission: Permission | "signed_in";
  readonly show: Show;
}

/** What a form of the console does. */
export interface ChangeRoute {
  readonly kind: "change";
  readonly path: string;
  readonly permission: Permission | "signed_in";
  /** Does it, and leads to a page. What the core refuses, and every FormProblem, comes back through `refused`. */
  readonly act: Show;
  /** Shows the form again with what was typed and what is wrong with it. Absent: a page that says it. */
  readonly refused?: (visit: Visit, problems: Problems) => Promise<FastifyReply>;
  /** True: the form's `password` must be the person's own. */
  readonly isConfirmed?: boolean;
  /** The form is multipart, with one file of at most so many bytes in it; `fileOf` answers it. */
  readonly fileBytesMax?: number;
}

export type ConsoleRoute = PageRoute | ChangeRoute;

/** Collects what the rooms of the console offer. Paths are below "/console/:mode". */
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
