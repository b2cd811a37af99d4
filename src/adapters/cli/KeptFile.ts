import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Writes a file of the data folder, whole or not at all. What cannot be written is lost: whoever keeps it can do without. */
export const keepFile = (path: string, text: string): void => {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  } catch {}
}
