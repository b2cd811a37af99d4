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
  for (const [path, text] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) digest.update(`${path}\n${text}\n`)
  return digest.digest("hex")
}
