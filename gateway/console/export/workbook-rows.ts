/** A cell of a workbook, as it goes to the thread that makes it: a number may have a format. */
type WorkbookCell = string | number | undefined | { readonly number: number; readonly format: string };

export type WorkbookRow = readonly WorkbookCell[];

/**
 * What the thread is asked: it answers "make" with the bytes of the workbook. Rows are those of the last sheet, whose first
 * row has the titles.
 */
export type ToWorkbookThread =
  | { readonly kind: "sheet"; readonly name: string | undefined }
  | { readonly kind: "rows"; readonly rows: readonly WorkbookRow[] }
  | { readonly kind: "make" };
