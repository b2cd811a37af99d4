import { randomBytes } from "node:crypto"
import { link, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import { socketFolder } from "../connection/SocketFolder.ts"
import { DataFolderLocked, type DataFolderUnusable, systemCode, unusable } from "./DataFolder.ts"

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

/** The lock files in `folder`; their failures are reported as the data folder's. */
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
