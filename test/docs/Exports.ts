import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "../architecture/Checkout.ts"
import { docstringAtEnd } from "./Docstrings.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The entries of the package, by the names that programs import them by, with their declarations. */
export const entries: ReadonlyArray<readonly [entry: string, types: string]> = Object.entries<{
  readonly types?: string
}>(JSON.parse(read("package.json")).exports).flatMap(([entry, { types }]) =>
  types === undefined ? [] : [[`almoner${entry.slice(1)}`, types.slice(2)] as const]
)

/** A value that the package exports. */
export interface Exported {
  /** The first entry that has it. */
  readonly entry: string
  readonly file: string
  readonly name: string
  readonly kind: "class" | "const" | "function"
  /** What is written behind its name. */
  readonly text: string
  readonly words: string
}

const declared = /^export (?:declare )?(?:abstract )?(const|class|function) (\w+)(.*)$/gm
const reexported = /^export (?:\{([^}]*)\}|\*(?: as \w+)?) from "(\.[^"]+)"/gm

const valuesIn = (
  entry: string,
  file: string,
  names: ReadonlyArray<string> | undefined,
  found: Map<string, Exported>,
  seen: Set<string>
): void => {
  const text = read(file)
  for (const match of text.matchAll(declared)) {
    const [, kind, name = "", rest = ""] = match
    const key = `${file}: ${name}`
    if ((names !== undefined && !names.includes(name)) || found.has(key)) continue
    const words = docstringAtEnd(text.slice(0, match.index))
    found.set(key, { entry, file, name, kind: kind as Exported["kind"], text: rest, words })
  }
  for (const [, listed, from = ""] of text.matchAll(reexported)) {
    const next = join(dirname(file), from).replace(/\.[tj]s$/, ".d.ts")
    const values = listed
      ?.split(",")
      .map((each) => each.trim())
      .filter((each) => !each.startsWith("type "))
      .filter((each) => names === undefined || names.includes(each.split(" as ").at(-1) ?? each))
    const visit = `${next} ${values?.join(", ") ?? ""}`
    if (seen.has(visit)) continue
    seen.add(visit)
    valuesIn(
      entry,
      next,
      values?.map((each) => each.split(" as ")[0] ?? each),
      found,
      seen
    )
  }
}

/** Every value that the package exports, once. */
export const values: ReadonlyArray<Exported> = (() => {
  const found = new Map<string, Exported>()
  for (const [entry, file] of entries) valuesIn(entry, file, undefined, found, new Set())
  return [...found.values()]
})()

/** The names that an entry has itself; what is under a namespace is reached by that. */
export const namesOf = (file: string): ReadonlyArray<string> => {
  const text = read(file)
  return [...text.matchAll(/^export (?:\{([^}]*)\}|\* as (\w+)|\*) from "(\.[^"]+)"/gm)].flatMap(
    ([, listed, namespace, from = ""]) => {
      if (namespace !== undefined) return [namespace]
      if (listed !== undefined) {
        return listed
          .split(",")
          .map((each) => each.trim())
          .filter((each) => each !== "" && !each.startsWith("type "))
          .map((each) => each.split(" as ").at(-1) ?? each)
      }
      const next = read(join(dirname(file), from).replace(/\.[tj]s$/, ".d.ts"))
      return [...next.matchAll(declared)].map(([, , name = ""]) => name)
    }
  )
}
