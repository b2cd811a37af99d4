import { contextOf, keepsOrder } from "./Contexts.ts"
import { isEffectModule, isStableModule, isUnstableExport } from "./EffectStability.ts"
import {
  type Import,
  imports,
  isNode,
  lineAt,
  nameOf,
  places,
  reachedFrom,
  resolve,
  type SourceFile
} from "./Syntax.ts"

/** A violation that a rule found in a file: the line and a sentence. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly found: string
}

/** The words of the architecture: where a file of src lives. */
export type Zone =
  | "domain"
  | "ports"
  | "app"
  | "app/subject"
  | "composition"
  | "printing"
  | "testing"
  | "client"
  | "facade"
  | "surface"
  | "root"
  | `adapters/${string}`

/** The program, and the faces that the package exports. */
const rootFiles = new Set(
  `src/application.ts src/check.ts src/client.ts src/domain.ts src/effect.ts src/index.ts src/internal.ts src/http.ts src/bin.ts src/mail.ts src/main.ts
  src/memory.ts src/pages.ts src/pglite.ts src/ports.ts src/postgres.ts src/server.ts src/stripe.ts src/testing.ts
  src/values.ts src/vitest.ts src/webhooks.ts`.split(/\s+/)
)

const floors = ["domain", "ports", "app"] as const

const folders = ["testing", "printing", "client", "facade", "surface"] as const

const isFloor = (name: string): name is (typeof floors)[number] => floors.some((floor) => floor === name)

const isFolder = (name: string): name is (typeof folders)[number] => folders.some((folder) => folder === name)

/** Where what the contexts have is put together. */
const compositions = new Set(["src/app/Application.ts", "src/app/Operations.ts"])

/** The zone of a file, null where the architecture has no such place. */
export const zoneOf = (path: string): Zone | null => {
  const [src, folder = "", second = "", ...rest] = path.split("/")
  if (src !== "src") return null
  if (rootFiles.has(path)) return "root"
  if (folder === "adapters") return rest.length > 0 ? `adapters/${second}` : null
  if (compositions.has(path)) return "composition"
  if (isFloor(folder)) {
    if (contextOf(path) === null) return null
    if (rest.length === 1) return folder
    return folder === "app" && rest.length === 2 ? "app/subject" : null
  }
  return second !== "" && isFolder(folder) ? folder : null
}

const coreZones = new Set<Zone>(["domain", "ports", "app", "app/subject", "composition"])

/** Domain, ports and app: what runs in any host. */
export const isCore = (path: string): boolean => {
  const zone = zoneOf(path)
  return zone !== null && coreZones.has(zone)
}

const adaptersOfApp = new Set<Zone>(["adapters/http", "adapters/pages", "adapters/console", "adapters/cli"])

const isApp = (zone: Zone): boolean => zone.startsWith("app") || zone === "composition"

/** The table "Who may import whom" of docs/architecture.md. */
const mayImport = (from: Zone, to: Zone): boolean => {
  switch (from) {
    case "root":
      return true
    case "composition":
      return to === "app" || to === "app/subject"
    // The printers of the generated documents, which are not part of the package.
    case "printing":
      return to !== "root" && to !== "facade" && to !== "surface"
    case "facade":
      return to !== "root" && to !== "surface"
    // The names of records and machines that are promised.
    case "surface":
    case "domain":
      return to === "domain"
    case "ports":
      return to === "domain" || to === "ports"
    case "app":
      return to === "domain" || to === "ports" || to === "app/subject"
    case "app/subject":
      return to === "domain" || to === "ports" || to === "app/subject"
    case "testing":
      return ["domain", "ports", "app", "app/subject", "testing", "adapters/memory"].includes(to)
    // Types alone: test/client/bundle.test.ts holds that nothing of them is loaded.
    case "client":
      return to === "client" || to === "domain" || to === "adapters/http"
    // Pages are answered on the pipeline of HTTP, and show mails as they are sent.
    case "adapters/pages":
      return isOfAdapter(from, to) || to === "adapters/http" || to === "adapters/mail"
    default:
      return isOfAdapter(from, to)
  }
}

/** What every adapter may import: the core, its own folder, and where it is a way in, use cases. */
const isOfAdapter = (from: Zone, to: Zone): boolean =>
  to === "domain" || to === "ports" || to === from || (isApp(to) && adaptersOfApp.has(from))

const isEffect = (specifier: string): boolean => specifier === "effect" || specifier.startsWith("effect/")

const mayImportPackage = (from: Zone, specifier: string): boolean => {
  if (coreZones.has(from)) return isEffect(specifier)
  if (from === "client") return specifier === "effect"
  if (from === "testing") return isEffect(specifier) || ["fast-check", "vitest"].includes(specifier)
  return true
}

const violation = (file: SourceFile, start: number, found: string): Violation => ({
  path: file.path,
  line: lineAt(file.text, start),
  found
})

const judgeImport = (path: string, zone: Zone, { specifier }: Import): string | null => {
  if (specifier === null) return zone === "root" || zone.startsWith("adapters/") ? null : "a computed import"
  const target = resolve(path, specifier)
  if (target === null) return mayImportPackage(zone, specifier) ? null : `${zone} may not import ${specifier}`
  const to = zoneOf(target)
  if (to === null) return zone === "root" || zone.startsWith("adapters/") ? outsideSrc(target) : `no zone: ${target}`
  return mayImport(zone, to) ? null : `${zone} may not import ${to} (${specifier})`
}

/** The version of the package is read from package.json; nothing else outside src is there at run time. */
const outsideSrc = (target: string): string | null => (target === "package.json" ? null : `no zone: ${target}`)

/** Contexts import one way: each those left of it. */
export const contextOrder = (file: SourceFile): ReadonlyArray<Violation> =>
  imports(file).flatMap(({ specifier, start }) => {
    const target = specifier === null ? null : resolve(file.path, specifier)
    return target === null || keepsOrder(file.path, target)
      ? []
      : [violation(file, start, `${contextOf(file.path)} may not import ${contextOf(target)} (${specifier})`)]
  })

/** Each import is one that the table allows, from a place that the table knows. */
export const importTable = (file: SourceFile): ReadonlyArray<Violation> => {
  if (!file.path.startsWith("src/")) return []
  const zone = zoneOf(file.path)
  if (zone === null) return [violation(file, 0, "the architecture has no such place")]
  return imports(file).flatMap((item) => {
    const found = judgeImport(file.path, zone, item)
    return found === null ? [] : [violation(file, item.start, found)]
  })
}

/** The module of effect that an imported name stands for; "" for the functions that the barrel re-exports. */
const moduleOfName = (specifier: string, imported: string): string | null => {
  if (specifier !== "effect") return specifier.slice("effect/".length)
  if (isEffectModule(imported)) return imported
  return /^[a-z]/.test(imported) ? "Function" : null
}

const judgeEffectName = (specifier: string, imported: string): string | null => {
  const module = moduleOfName(specifier, imported)
  if (module === null) return `${imported} of the barrel cannot be judged: name the modules`
  if (!isStableModule(module)) return `effect/${module} is not stable`
  return isUnstableExport(module, imported) ? `${module}.${imported} is not stable` : null
}

const memberUses = (file: SourceFile, modules: ReadonlyMap<string, string>): ReadonlyArray<Violation> =>
  places(file).flatMap(({ node }) => {
    const [object, member] =
      node.type === "TSQualifiedName" ? [node["left"], node["right"]] : [node["object"], node["property"]]
    if (!isNode(object) || !isNode(member)) return []
    const module = modules.get(nameOf(object) ?? "")
    const name = nameOf(member)
    return module !== undefined && name !== null && isUnstableExport(module, name)
      ? [violation(file, node.start, `${module}.${name} is not stable`)]
      : []
  })

/** The core uses stable modules of effect only, and of those no export that is marked otherwise. */
export const effectStable = (file: SourceFile): ReadonlyArray<Violation> => {
  if (!isCore(file.path)) return []
  const modules = new Map<string, string>()
  const named = imports(file).flatMap((item) => {
    const { specifier } = item
    if (specifier === null || !isEffect(specifier)) return []
    return item.names.flatMap(({ imported, local }) => {
      const module = moduleOfName(specifier, imported)
      if (module !== null && (imported === "*" || imported === module)) modules.set(local, module)
      const found = judgeEffectName(specifier, imported)
      return found === null ? [] : [violation(file, item.start, found)]
    })
  })
  return [...named, ...memberUses(file, modules)]
}

/** A relative import of a TypeScript file names the file that is there: `./Money.ts`. */
export const importExtensions = (file: SourceFile): ReadonlyArray<Violation> =>
  imports(file)
    .filter(({ names }) => names.length > 0)
    .flatMap(({ specifier, start }) =>
      specifier === null || !specifier.startsWith(".") || /\.(tsx?|mjs|json)$/.test(specifier)
        ? []
        : [violation(file, start, `${specifier} has no .ts`)]
    )

/** Each source file can be reached by imports from an entry point: the program, a face of the package, or a file of testing. */
export const unusedFiles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const sources = files.filter(({ path }) => path.startsWith("src/"))
  const entries = sources.filter(
    ({ path }) => rootFiles.has(path) || ["testing", "printing"].includes(zoneOf(path) ?? "")
  )
  const reached = new Set(reachedFrom(sources, entries))
  return sources
    .filter((file) => !reached.has(file))
    .map((file) => violation(file, 0, "no entry point needs this file"))
}
