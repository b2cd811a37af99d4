import { randomBytes } from "node:crypto"
import { link, lstat, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import { socketFolder } from "../connection/SocketFolder.ts"
import { DataFolderLocked, DataFolderUnusable, systemCode, unusable } from "./DataFolder.ts"

/** The content of a lock file; `socket` is the name of the socket on which the holder listens while it lives. */
const Holder = Schema.fromJsonString(Schema.Struct({ pid: Schema.Int, socket: Schema.String }))

const generationOf = (name: string): number => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? 0)

const listen = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", reject)
    server.listen(path, () => resolve(server.unref()))
  })

/** Whether the holder of a socket lives: the kernel closes a socket with its process. In doubt it counts as alive. */
const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const settle = (alive: boolean) => {
      socket.destroy()
      resolve(alive)
    }
    socket.once("connect", () => settle(true))
    socket.once("error", (cause) => settle(!["ECONNREFUSED", "ENOENT", "ENOTSOCK"].includes(systemCode(cause) ?? "")))
  })

const lockFiles = (data_dir: string, folder: string) => {
  const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: unusable(data_dir) })
  const unless = (code: string) => (cause: unknown) => (systemCode(cause) === code ? undefined : Promise.reject(cause))
  const path = (generation: number) => join(folder, `lock.${generation}`)

  const generations = Effect.map(
    attempt(() => readdir(folder)),
    (names) => names.map(generationOf).filter((n) => n > 0)
  )
  const highest = Effect.map(generations, (all) => Math.max(0, ...all))
  const holder = (generation: number) =>
    Effect.map(
      attempt(() => readFile(path(generation), "utf8").catch(unless("ENOENT"))),
      Schema.decodeUnknownOption(Holder)
    )
  const remove = (name: string) => Effect.promise(() => rm(join(folder, name), { force: true }).catch(() => {}))

  /** Creates the lock file atomically, unless it exists. */
  const create = Effect.fnUntraced(function* (generation: number, socket: string) {
    const draft = `${socket}.new`
    const content = JSON.stringify({ pid: process.pid, socket })
    yield* attempt(() => writeFile(join(folder, draft), content, { mode: 0o600 }))
    const created = yield* attempt(() => link(join(folder, draft), path(generation)).then(() => true, unless("EEXIST")))
    yield* remove(draft)
    return created === true
  })

  const removeFormer = Effect.fnUntraced(function* (generation: number) {
    for (const former of (yield* generations).filter((n) => n < generation)) {
      const gone = yield* holder(former)
      yield* remove(`lock.${former}`)
      if (Option.isSome(gone)) yield* remove(gone.value.socket)
    }
  })

  return { attempt, create, highest, holder, remove, removeFormer }
}

/**
 * Holds the data folder for this process until the scope closes; fails with {@link DataFolderLocked} when a living
 * process (this one included) holds it.
 *
 * A holder first listens on a socket of its own and then creates `lock.<n>`, one above the highest that exists, after
 * it found that one's holder gone. Creating a name is exclusive, so of two starters one wins. The highest is never
 * removed, so no number is used twice: a late starter that re-creates a lower one sees the higher one and gives it up.
 * The socket decides, not a process id, which may have been reused by another process.
 */
export const acquire = (data_dir: string): Effect.Effect<void, DataFolderLocked | DataFolderUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* socketFolder(data_dir)
    const files = lockFiles(data_dir, folder)

    const socket = `${randomBytes(6).toString("hex")}.sock`
    yield* Effect.acquireRelease(
      files.attempt(() => listen(join(folder, socket))),
      (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    const refuseIfHeld = Effect.fnUntraced(function* (generation: number) {
      const holder = yield* files.holder(generation)
      if (Option.isNone(holder)) return
      const { pid, socket } = holder.value
      if (yield* Effect.promise(() => answers(join(folder, socket)))) {
        return yield* new DataFolderLocked({ path: data_dir, pid })
      }
    })

    while (true) {
      const highest = yield* files.highest
      yield* refuseIfHeld(highest)
      const mine = highest + 1
      if (!(yield* files.create(mine, socket))) continue
      if ((yield* files.highest) === mine) return yield* files.removeFormer(mine)
      yield* files.remove(`lock.${mine}`)
    }
  })

/** The folder of the database in the data folder. */
export const databaseFolder = (data_dir: string): string => join(data_dir, "postgres")

export const newDraft = (): string => `postgres.new-${randomBytes(6).toString("hex")}`

/** A database in the making. It is never opened under this name, so that nothing in it is anybody's. */
export const isDraft = (name: string): boolean => /^postgres\.new-[0-9a-f]{12}$/.test(name)

const remedy = "Restore it from its backup, or choose an empty folder with DATA_DIR"

/** What may lie in a folder in which nobody has begun anything: sockets, databases in the making, and what a new disk has. */
const isOfNobody = (name: string): boolean => isDraft(name) || name === "run" || name === "lost+found"

const unlessAbsent =
  <A>(absent: A) =>
  (cause: unknown): Promise<A> =>
    ["ENOENT", "ENOTDIR"].includes(systemCode(cause) ?? "") ? Promise.resolve(absent) : Promise.reject(cause)

const isThere = (path: string): Promise<boolean> => lstat(path).then(() => true, unlessAbsent(false))

const isFilled = (path: string): Promise<boolean> =>
  stat(path).then((found) => found.isFile() && found.size > 0, unlessAbsent(false))

const namesIn = (path: string): Promise<ReadonlyArray<string>> =>
  readdir(path).catch(unlessAbsent<ReadonlyArray<string>>([]))

/** The parts without which a folder is no database; a server would fail on most, and PGlite begins anew without the first. */
const parts: ReadonlyArray<readonly [name: string, isSound: (path: string) => Promise<boolean>]> = [
  ["PG_VERSION", async (path) => (await isFilled(path)) && /^\d+\n?$/.test(await readFile(path, "latin1"))],
  ["postgresql.conf", isFilled],
  ["global/pg_control", isFilled],
  ["global/pg_filenode.map", isFilled],
  ["base", async (path) => (await namesIn(path)).some((name) => /^\d+$/.test(name))],
  ["pg_wal", async (path) => (await namesIn(path)).some((name) => /^[0-9A-F]{24}$/.test(name))],
  ["pg_xact", async (path) => (await namesIn(path)).length > 0],
  ["pg_multixact", async (path) => (await namesIn(path)).length > 0]
]

const missingIn = async (folder: string): Promise<string | undefined> => {
  for (const [name, isSound] of parts) {
    if (!(await isSound(join(folder, name)))) return name
  }
  return undefined
}

/**
 * Whether the data folder has a database, looked at before anything opens it: PGlite would make one in place of one that is not
 * whole. Fails for a database that is not whole.
 */
export const hasDatabase = (data_dir: string): Effect.Effect<boolean, DataFolderUnusable> =>
  Effect.gen(function* () {
    const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: unusable(data_dir) })
    const folder = databaseFolder(data_dir)
    // A link whose target is gone, such as a disk that is not mounted, is there as well.
    if (!(yield* attempt(() => isThere(folder)))) return false
    const missing = yield* attempt(() => missingIn(folder))
    if (missing === undefined) return true
    const reason = `its database is not whole, postgres/${missing} is missing or damaged. ${remedy}`
    return yield* new DataFolderUnusable({ path: data_dir, reason })
  })

/**
 * Whether a database must be made. Fails where there is none beside somebody's files: keys and a demo whose database is gone, or
 * a folder that is not the service's.
 */
export const needsDatabase = (data_dir: string): Effect.Effect<boolean, DataFolderUnusable> =>
  Effect.gen(function* () {
    if (yield* hasDatabase(data_dir)) return false
    const names = yield* Effect.tryPromise({ try: () => namesIn(data_dir), catch: unusable(data_dir) })
    const [first, ...others] = names.filter((name) => !isOfNobody(name)).toSorted()
    if (first === undefined) return true
    const held = others.length === 0 ? first : `${first} and ${others.length} more`
    const reason = `it holds ${held}, but no database. ${remedy}`
    return yield* new DataFolderUnusable({ path: data_dir, reason })
  })
