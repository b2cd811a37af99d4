/** The declarations that the package's entries lead to, as the build writes them. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** The entries of the package with their declarations: `{ entry: "almoner/domain", types: "dist/domain.d.ts" }`. */
export function entriesOf() {
  const { exports, name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [{ entry: join(name, path), types: types.replace("./", "") }]
  )
}

const brackets = { "(": ")", "[": "]", "{": "}", "<": ">" }

/** What stands between the members of different unions. */
const separators = new Set([",", ";", ":", "=", "?", "&"])

/** A comment, or a text in quotes, with which a rest of declarations begins. */
const whole = /^(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|=>)/

/**
 * Declarations with the members of each union in the order of their texts: the compiler gives them in one order or another,
 * build by build, and they say the same in each.
 */
export function inOneOrder(text) {
  let at = 0
  const read = (closing) => {
    let [done, member] = ["", ""]
    let members = []
    const end = () => {
      done += [...members, member]
        .map((each) => each.trim())
        .sort()
        .join(" | ")
      members = []
      member = ""
    }
    while (at < text.length && text[at] !== closing) {
      const [token = text[at]] = whole.exec(text.slice(at, at + 100_000)) ?? []
      at += token.length
      if (token === "|") {
        members.push(member)
        member = ""
      } else if (token in brackets) {
        member += token + read(brackets[token])
        member += text[at] ?? ""
        at += 1
      } else if (separators.has(token) || token === "=>" || token.startsWith("/*") || token.startsWith("//")) {
        end()
        done += token
      } else member += token
    }
    end()
    return done
  }
  return read(undefined)
}

/** The digest of all declarations that the entries lead to. */
export function declarationsDigest(entries = entriesOf()) {
  const texts = new Map()
  const visit = (path) => {
    if (texts.has(path)) return
    const text = readFileSync(join(root, path), "utf8")
    texts.set(path, text)
    for (const [, from] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      visit(join(dirname(path), from.replace(/\.[tj]s$/, ".d.ts")))
    }
  }
  for (const { types } of entries) visit(types)
  const digest = createHash("sha256")
  for (const [path, text] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1)))
    digest.update(`${path}\n${inOneOrder(text)}\n`)
  return digest.digest("hex")
}
