import { Schema } from "effect"

/** The forms in which banks write statements that are read. */
export const StatementFormat = Schema.Literals(["csv", "camt053", "ofx"]).annotate({ identifier: "StatementFormat" })
export type StatementFormat = typeof StatementFormat.Type

const exported = "Export the statement as CSV, CAMT.053 or OFX at the bank"

/** What is given by mistake, by how it begins; bytes that are no text are read as Windows writes Western European text. */
const mistakes: ReadonlyArray<readonly [beginning: string, mistake: string]> = [
  ["PK\u0003\u0004", "a ZIP archive or a spreadsheet (xlsx). Unpack it, or save it as CSV"],
  ["\u00D0\u00CF\u0011\u00E0", "a spreadsheet (xls). Save it as CSV"],
  ["\u001F\u2039", "compressed (gzip). Unpack it"],
  ["%PDF-", `a PDF. ${exported}`],
  ["{\\rtf", `a text document. ${exported}`],
  ["<!doctype html", `a web page. ${exported}`],
  ["<html", `a web page. ${exported}`],
  ["{1:F01", `MT940. ${exported}`],
  [":20:", `MT940. ${exported}`],
  ...["!Type:", "!Account", "!Option:", "!Clear:"].map((begun) => [begun, `QIF. ${exported}`] as const)
]

/** How much of a file says what it is. */
const beginning = 4_096

/**
 * The form of a file, by how it begins; what it is else, where it is none that is read.
 * @example
 * StatementKind.kindOf("OFXHEADER:100\nDATA:OFXSGML") // => { format: "ofx" }
 * StatementKind.kindOf("%PDF-1.7") // => { mistake: "a PDF. Export the statement as CSV, CAMT.053 or OFX at the bank" }
 */
export const kindOf = (content: string): { readonly format: StatementFormat } | { readonly mistake: string } => {
  const text = content.slice(0, beginning).trimStart()
  const [, mistake] = mistakes.find(([begun]) => text.toLowerCase().startsWith(begun.toLowerCase())) ?? []
  if (mistake !== undefined) return { mistake }
  if (/^OFXHEADER\s*:/iu.test(text) || /<\?OFX\s|<OFX>/iu.test(text)) return { format: "ofx" }
  return { format: text.startsWith("<") ? "camt053" : "csv" }
}
