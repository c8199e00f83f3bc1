import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Sight } from "./walk.ts";

/** A folder of pictures with a page that shows them all. */
export class Album {
  readonly #folder: string;
  readonly #pictures: { readonly name: string; readonly caption: string; readonly path: string }[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what an earlier run made. */
  async clear(): Promise<void> {
    for (const part of ["payer", "console", "index.html"]) {
      await rm(join(this.#folder, part), { recursive: true, force: true });
    }
  }

  /** Adds the whole page as it is seen. */
  async add({ screen, language, width, page }: Sight): Promise<void> {
    const path = `${screen.name}.${language}.${width}.png`;
    await mkdir(dirname(join(this.#folder, path)), { recursive: true });
    await page.page.screenshot({ path: join(this.#folder, path), fullPage: true, animations: "disabled" });
    this.#pictures.push({ name: screen.name, caption: `${language}, ${width} px`, path });
  }

  get count(): number {
    return this.#pictures.length;
  }

  /** Writes index.html and returns its path. */
  async bind(): Promise<string> {
    const parts = [...Map.groupBy(this.#pictures, ({ name }) => name)].map(
      ([name, pictures]) =>
        `<h2 id="${name}">${name}</h2>\n<div>${pictures
          .map(
            ({ caption, path }) =>
              `<figure><a href="${path}"><img src="${path}" alt="${name}, ${caption}" loading="lazy"></a><figcaption>${caption}</figcaption></figure>`,
          )
          .join("\n")}</div>`,
    );
    const style =
      "body{font-family:sans-serif}div{display:flex;gap:1rem;flex-wrap:wrap;align-items:start}img{width:20rem;border:1px solid #ccc}figure{margin:0}";
    const html = `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Screens</title><style>${style}</style>\n<h1>Screens</h1>\n${parts.join("\n")}\n</html>\n`;
    const path = join(this.#folder, "index.html");
    await writeFile(path, html);
    return path;
  }
}
