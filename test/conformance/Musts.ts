import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../architecture/Checkout.ts"

const plainText = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*\s?/gm, "")
    .replaceAll(/\{@link ([^}]+)\}/g, "$1")
    .replaceAll("`", "")
    .replaceAll(/\s+/g, " ")
    .trim()

const declaration = /^\s*export (?:class|interface|const) (\w+)|^\s*(?:readonly )?(\w+)\??\s*[(<:]/

/** The sentences of a file of `src/ports` from each MUST on, as `Port.member MUST …`. */
const mustsOf = (source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let owner = ""
  for (const { 0: comment, index } of source.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const before = [...source.slice(0, index).matchAll(/^export (?:class|interface) (\w+)/gm)].at(-1)?.[1]
    owner = before ?? owner
    const next = source.slice(index + comment.length).replace(/^\s*\n/, "")
    const [, exported, member] = declaration.exec(next) ?? []
    const name = exported ?? `${owner}.${member ?? ""}`
    const [, ...tails] = plainText(comment.slice(3, -2)).split(/\bMUST\b/)
    for (const tail of tails) found.push(`${name} MUST ${tail.trim()}`)
  }
  return found
}

const ports = join(root, "src/ports")

export const musts: ReadonlyArray<string> = readdirSync(ports, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .flatMap((name) => mustsOf(readFileSync(join(ports, name), "utf8")))
