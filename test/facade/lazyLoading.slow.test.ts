import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"

/** Writes to a file, from the thread of the loader, each module that is resolved: a pipe may be full when it is written. */
const hooks = `
import { appendFileSync } from "node:fs"
export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context)
  appendFileSync(process.env.LOADED, found.url + "\\n")
  return found
}`

const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`

const register = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(hooks))})`

interface Loaded {
  readonly packages: ReadonlySet<string>
  readonly builtins: ReadonlySet<string>
}

const load = async (entry: string): Promise<Loaded> => {
  const file = pathToFileURL(join(root, "dist", `${entry}.js`)).href
  const program = `await import(${JSON.stringify(file)})`
  const folder = await mkdtemp(join(tmpdir(), "almoner-loaded-"))
  const loaded = join(folder, "loaded")
  const text = await promisify(execFile)(
    process.execPath,
    ["--import", dataUrl(register), "--input-type=module", "--eval", program],
    { cwd: root, env: { ...process.env, LOADED: loaded } }
  )
    .then(() => readFile(loaded, "utf8"))
    .finally(() => rm(folder, { recursive: true }))
  const urls = text.split("\n").filter((line) => line !== "")
  assert.include(urls, file)
  const packages = urls.flatMap((url) => {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? []
    return name === undefined ? [] : [name]
  })
  return { packages: new Set(packages), builtins: new Set(urls.filter((url) => url.startsWith("node:"))) }
}

const known = new Map<string, Promise<Loaded>>()

/** The packages, by name, and the modules of Node that loading an entry of the built package loads. */
const loadedBy = (entry: string): Promise<Loaded> => {
  const loaded = known.get(entry) ?? load(entry)
  known.set(entry, loaded)
  return loaded
}

/** The packages that an entry may load beside effect and what that is made of. */
const entries: Readonly<Record<string, ReadonlyArray<string>>> = {
  index: [],
  domain: [],
  ports: [],
  effect: [],
  http: [],
  memory: [],
  client: [],
  webhooks: ["undici"],
  postgres: ["@effect/sql-pg", "pg-connection-string"],
  pglite: ["@effect/sql-pg", "@electric-sql/pglite"]
}

const servers = ["node:http", "node:https", "node:http2", "node:net", "node:tls"]

describe("the modules that an entry of the package loads", () => {
  it.each(Object.entries(entries))("%s: only the packages that its name says", async (entry, allowed) => {
    const { packages } = await loadedBy(entry)
    assert.includeMembers([...allowed, "effect", "uuidv7"], [...packages])
    for (const name of allowed) assert.isTrue(packages.has(name), `${name} is what it is for`)
  })

  it("the library itself and the client are loaded without any module of Node", async () => {
    for (const entry of ["index", "domain", "ports", "effect", "client"])
      assert.deepStrictEqual([...(await loadedBy(entry)).builtins], [], entry)
  })

  it("no entry but those of HTTP and of webhooks and databases loads a server or sockets", async () => {
    const { builtins } = await loadedBy("memory")
    for (const name of servers) assert.isFalse(builtins.has(name), name)
  })
})
