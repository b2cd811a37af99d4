/**
 * Writes the types that are printed from the declarations of what they call, and the reference, where they are others than before:
 * `node scripts/printTypes.mjs FOLDER`, where FOLDER has the compiled sources. A process of its own, since it takes seconds in
 * which setup.mjs has to show that it is alive.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const [folder] = process.argv.slice(2)

const { printedFiles } = await import(pathToFileURL(join(folder, "printing", "GeneratedFiles.js")).href)
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
for (const [name, text] of printedFiles({ dist: folder, version })) {
  const path = join(root, name)
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue
  const draft = join(root, ".cache", `printed-${randomUUID()}`)
  writeFileSync(draft, text)
  mkdirSync(dirname(path), { recursive: true })
  renameSync(draft, path)
}
