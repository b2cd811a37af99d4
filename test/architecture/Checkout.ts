import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { SourceFile } from "./Syntax.ts"

export const root = fileURLToPath(new URL("../../", import.meta.url))

/** The text of one of the project's files. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

const skipped = new Set(["node_modules", "dist", "build", "coverage", ".git", ".almoner", ".cache"])

const isText = (name: string): boolean =>
  /\.(ts|mts|tsx|mjs|js|cjs|json|md|sql|html|css|yml|yaml|sh)$/.test(name) || name === "run"

const walk = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return walk(path)
    return entry.isFile() && isText(entry.name) ? [path] : []
  })

/** The project's own text files. */
export const readCheckout = (): ReadonlyArray<SourceFile> => walk("").map((path) => ({ path, text: read(path) }))
