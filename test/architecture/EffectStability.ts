import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const sources = fileURLToPath(new URL("../../node_modules/effect/src/", import.meta.url))

interface Module {
  readonly stable: boolean
  /** Exports that are marked as anything but stable. */
  readonly unstable: ReadonlySet<string>
}

const documented =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:declare )?(?:abstract )?(?:const|function\*?|class|interface|type|namespace) (\w+)/g

const read = (path: string): Module | null => {
  if (!existsSync(path)) return null
  const text = readFileSync(path, "utf8")
  const marks = new Map<string, Set<string>>()
  for (const [, comment = "", name = ""] of text.matchAll(documented)) {
    const mark = /@stability (\w+)/.exec(comment)?.[1]
    if (mark !== undefined) marks.set(name, (marks.get(name) ?? new Set()).add(mark))
  }
  const unstable = [...marks].filter(([, set]) => !set.has("stable")).map(([name]) => name)
  return { stable: /@stability (\w+)/.exec(text)?.[1] === "stable", unstable: new Set(unstable) }
}

const modules = new Map<string, Module | null>()

const moduleOf = (name: string): Module | null => {
  const known = modules.get(name)
  if (known !== undefined) return known
  const found = /^\w+$/.test(name) ? read(`${sources}${name}.ts`) : null
  modules.set(name, found)
  return found
}

/** Whether `effect/<name>` is a top-level module of effect. */
export const isEffectModule = (name: string): boolean => moduleOf(name) !== null

/** Whether `effect/<name>` declares itself `@stability stable`. */
export const isStableModule = (name: string): boolean => moduleOf(name)?.stable === true

/** Whether an export of a stable module declares itself anything but stable. */
export const isUnstableExport = (module: string, name: string): boolean => moduleOf(module)?.unstable.has(name) === true
