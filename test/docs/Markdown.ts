import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { SourceFile } from "../architecture/Syntax.ts"

const withoutCode = (text: string): string =>
  text.replaceAll(/^(```+|~~~+)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, "").replaceAll(/`[^`\n]*`/g, "")

/** The paragraphs and the points of lists of a document, as they are written, without tables, code and comments. */
export const paragraphsOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/^ *\|.*$/gm, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n\s*/g, " "))
    .filter((paragraph) => paragraph !== "")

/** The anchor that a heading gets where Markdown is shown. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")

export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)))

/** The link targets of a document. */
export const linksOf = (text: string): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target)

export const blocksOf = (text: string, language: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block = ""]) =>
    name === language ? [block] : []
  )

/** A block of commands that are not run, with the reason. */
const notRun = /^ *<!-- not run: [^\n]+ -->\n+ *```sh\n[\s\S]*?^ *```$/gm

/** A document without the blocks of commands that say why they are not run. */
export const withoutNotRun = (text: string): string => text.replaceAll(notRun, "")

/** The blocks of commands of a document, but those that say why they are not run. */
export const commandsToRun = (text: string): ReadonlyArray<string> => blocksOf(withoutNotRun(text), "sh")

/** The links of `file` that lead to no file of the project, or to no heading in it. */
export const brokenLinks = (root: string, file: SourceFile, files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  linksOf(file.text).filter((target) => {
    if (/^https?:/.test(target)) return false
    const [path = "", anchor] = target.split("#")
    const place = path === "" ? file.path : join(dirname(file.path), path)
    if (path !== "" && !existsSync(join(root, place))) return true
    const text = files.find((each) => each.path === place)?.text ?? ""
    return anchor !== undefined && !anchorsOf(text).has(anchor)
  })
