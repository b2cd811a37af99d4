import { execFile, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { root } from "../architecture/Checkout.ts"
import { emptyFolder, emptyPackage, install, npm, pack, removeFolder, runModule } from "./Tarball.ts"

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The packages that an entry needs, beside the package itself and its own dependencies. */
const needs: Readonly<Record<string, ReadonlyArray<string>>> = {
  almoner: [],
  "almoner/domain": [],
  "almoner/internal": [],
  "almoner/values": [],
  "almoner/ports": [],
  "almoner/effect": [],
  "almoner/http": [],
  "almoner/memory": [],
  "almoner/client": [],
  "almoner/mail": ["hono"],
  "almoner/pages": ["hono", "isbot"],
  "almoner/postgres": ["@effect/sql-pg"],
  "almoner/pglite": ["@effect/sql-pg", "@electric-sql/pglite"],
  "almoner/stripe": ["stripe"],
  "almoner/webhooks": ["undici"],
  "almoner/testing": ["fast-check"],
  "almoner/testing/vitest": ["vitest"]
}

const alone = Object.keys(needs).filter((entry) => needs[entry]?.length === 0)
const more = Object.keys(needs).filter((entry) => needs[entry]?.length !== 0)

/** Imports an entry: "loaded", or the package that is missing. */
const load = (folder: string, entry: string): Promise<string> =>
  runModule(
    folder,
    `import(${JSON.stringify(entry)}).then(
      (entry) => process.stdout.write(Object.keys(entry).length > 0 ? "loaded" : "empty"),
      (error) => process.stdout.write(/Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? error.message)
    )`
  )

/** The packages that every server of the command needs. */
const ofServers = ["@effect/platform-node", "@effect/sql-pg", "hono", "isbot", "undici"]

/** What the command says, and its exit status, where these are installed. It must not have come to load any of them. */
const commandBeside = async (host: string, installed: ReadonlyArray<string>): Promise<string> => {
  const folder = emptyFolder()
  try {
    copyFileSync(join(host, "node_modules/almoner/dist/bin.js"), join(folder, "bin.mjs"))
    for (const name of installed) {
      const path = join(folder, "node_modules", name)
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, "index.js"), "process.exit(1)")
    }
    return await new Promise((resolve) => {
      execFile(process.execPath, [join(folder, "bin.mjs"), "serve"], (error, stdout, stderr) =>
        resolve(`${error?.code ?? 0} ${stdout}${stderr}`)
      )
    })
  } finally {
    removeFolder(folder)
  }
}

/** The first of what `docs/guides/embed.md` shows, over both databases that need no server. */
const underJest = `
import { Almoner } from "almoner"
import { memory } from "almoner/memory"
import { pglite } from "almoner/pglite"

test.each([["memory", memory], ["pglite", pglite]])("a donor is read over %s", async (_, backend) => {
  const almoner = await Almoner.open({ backend: backend() })
  try {
    const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
    await almoner.organisations.create(charity)
    const caller = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
    const donor = await almoner.donors.create(caller, { first_name: "Mary" })
    expect(await almoner.donors.read(caller, donor.id)).toEqual(donor)
    await expect(almoner.donors.create(caller, { first_name: 5 })).rejects.toThrow("first_name")
  } finally {
    await almoner.close()
  }
}, 60_000)
`

const installedIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))

/**
 * Bundles a module as a host would and gives the files of the package whose code is loaded with it; what is imported on
 * demand is in files of its own.
 */
const bundled = async (folder: string, contents: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: "host.js" },
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    outdir: "bundle",
    format: "esm",
    platform: "node",
    external: ["effect", "effect/*"],
    metafile: true,
    write: false
  })
  const loaded = new Set<string>()
  const load = (output: string): void => {
    if (loaded.has(output)) return
    loaded.add(output)
    for (const { external, kind, path } of metafile.outputs[output]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) load(path)
    }
  }
  load("bundle/stdin.js")
  return [...loaded]
    .flatMap((output) => Object.entries(metafile.outputs[output]?.inputs ?? {}))
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && path !== "host.js" ? [path] : []))
    .map((path) => path.replace(/^node_modules\/almoner\/dist\//, ""))
}

describe("the package", () => {
  const host = emptyPackage()
  let tarball: Awaited<ReturnType<typeof pack>>

  beforeAll(async () => {
    tarball = await pack()
    await install(host, tarball.path)
  })
  afterAll(() => removeFolder(host))

  it("holds what is built and its documents, no sources and no tests", () => {
    const top = new Set(tarball.files.map((path) => path.split("/")[0]))
    assert.deepStrictEqual(
      [...top].sort(),
      ["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "package.json"].sort()
    )
    const printing = tarball.files.filter((path) => path.startsWith("dist/printing"))
    assert.deepStrictEqual(printing, [])
    const odd = tarball.files.filter((path) => path.startsWith("dist/") && !/\.(?:js|d\.ts)$/.test(path))
    assert.deepStrictEqual(odd, ["dist/build.json"])
  })

  it("tells which build it is", async () => {
    const packed = JSON.parse(readFileSync(join(host, "node_modules/almoner/dist/build.json"), "utf8"))
    assert.match(packed.sources, /^[0-9a-f]{64}$/)
    assert.strictEqual(packed.sources, readFileSync(join(root, "dist/.stamp"), "utf8"))
  })

  it("holds each declaration that an entry leads to, and no other", () => {
    const entries = Object.keys(needs).map((entry, index) => `export * as e${index} from ${JSON.stringify(entry)}`)
    writeFileSync(join(host, "all.ts"), entries.join("\n"))
    const inside = join(realpathSync(host), "node_modules/almoner/")
    const args = ["--noEmit", "--module", "nodenext", "--target", "es2023", "--listFilesOnly", "all.ts"]
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = spawnSync(process.execPath, [tsc, ...args], { cwd: host, encoding: "utf8" })
    const reached = stdout.split("\n").flatMap((path) => (path.startsWith(inside) ? [path.slice(inside.length)] : []))
    assert.isAbove(reached.length, 100)
    assert.deepStrictEqual(reached.sort(), tarball.files.filter((path) => path.endsWith(".d.ts")).sort())
  })

  // The package is ESM with `exports`: resolution by Node 10, which knows no exports, finds nothing by intent, and
  // `require` of Node 20.19 and newer loads ESM as it is. The profile leaves these two out.
  it.each([
    ["publint@0.3.25", "publint/src/cli.js", ["run", "--strict"]],
    ["@arethetypeswrong/cli@0.18.5", "@arethetypeswrong/cli/dist/index.js", ["--profile", "esm-only", "--no-color"]]
  ])("is clean to %s", async (tool, program, words) => {
    const folder = emptyPackage()
    try {
      await install(folder, tool)
      const cli = join(folder, "node_modules", program)
      const { status, stdout } = spawnSync(process.execPath, [cli, ...words, tarball.path], { encoding: "utf8" })
      assert.strictEqual(status, 0, stdout)
    } finally {
      removeFolder(folder)
    }
  })

  it("names each of its entries here, with what it needs", () => {
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json")
    assert.deepStrictEqual(entries.map((entry) => entry.replace(/^\./, "almoner")).sort(), Object.keys(needs).sort())
  })

  it("asks hosts for effect alone: every other peer is optional, and all are there for a clone", () => {
    const peers = Object.keys(manifest.peerDependencies)
    const asked = peers.filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true)
    assert.deepStrictEqual(asked, ["effect"])
    assert.deepStrictEqual(Object.keys(manifest.dependencies), ["pg-connection-string", "sax", "uuidv7"])
    for (const name of peers) assert.match(manifest.devDependencies[name] ?? "", /^\d/, name)
    for (const name of Object.values(needs).flat()) assert.include(peers, name)
  })

  it("brings effect and three small packages and nothing else", () => {
    assert.deepStrictEqual([...installedIn(host)].sort(), [
      "almoner",
      "effect",
      "pg-connection-string",
      "sax",
      "uuidv7"
    ])
  })

  it.each(ofServers)("the command says at once that it misses %s", async (missing) => {
    const installed = ofServers.filter((name) => name !== missing)
    assert.match(
      await commandBeside(host, installed),
      new RegExp(`^3 The almoner command needs ${missing}, which is not installed\\. Run: npm install @effect/`)
    )
  })

  it.each(alone)("%s loads where nothing else is installed", async (entry) => {
    assert.strictEqual(await load(host, entry), "loaded")
  })

  // One folder takes what each entry needs in turn; that the entry names something missing shows that the ones before did
  // not bring it.
  it.each(more)("%s names what it misses, and loads once that is installed", async (entry) => {
    const packages = needs[entry] ?? []
    assert.include(packages, await load(host, entry))
    await install(host, ...packages.map((name) => `${name}@${manifest.devDependencies[name]}`))
    assert.strictEqual(await load(host, entry), "loaded")
  })

  // The peers are there by now.
  it("opens and closes under jest, in its mode for ES modules", async () => {
    const jest = { transform: {}, testEnvironmentOptions: { globalsCleanup: "off" } }
    writeFileSync(join(host, "jest.config.json"), JSON.stringify(jest))
    writeFileSync(join(host, "host.test.js"), underJest)
    await install(host, "jest@30")
    const printed = await npm(host, ["exec", "--", "jest", "--ci"], { NODE_OPTIONS: "--experimental-vm-modules" })
    assert.notMatch(printed, /fail/i)
  })

  // esbuild keeps ports, each of them one key, because the facade's files that are loaded on demand import them, too.
  it("gives a bundler the domain alone when a host uses the domain alone", async () => {
    const files = await bundled(
      host,
      `import { Introduction, Machine } from "almoner/domain"
       export const open = (sent, at) => Machine.decide(Introduction.machine, sent, { _tag: "Open", at })`
    )
    assert.include(files, "domain/sharing/Introduction.js")
    const beyond = files.filter((path) => !/^(?:domain|surface|ports)\//.test(path))
    assert.deepStrictEqual(beyond, [])
    assert.notInclude(files, "domain/giving/Donation.js")
  })

  it("leaves a bundle empty when nothing of an import is used", async () => {
    const imports = alone.map((entry, index) => `import * as entry${index} from ${JSON.stringify(entry)}`)
    assert.deepStrictEqual(await bundled(host, imports.join("\n")), [])
  })
})
