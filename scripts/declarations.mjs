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
