import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Exit, Fiber, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { EmbeddedStream } from "../../src/adapters/postgres/embedded/EmbeddedClient.ts"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import { tidy } from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import { damageIn, type Incident, makeEngine, openFolder } from "../../src/adapters/postgres/embedded/EmbeddedEngine.ts"
import * as FolderLock from "../../src/adapters/postgres/embedded/FolderLock.ts"
import { databaseFolder } from "../../src/adapters/postgres/embedded/FolderLock.ts"
import { forEvery } from "../support/Property.ts"
import { live, withLayer } from "../support/Steps.ts"
import { type BuiltProcess, build } from "./EmbeddedProcess.ts"

/** EMFILE as the WebAssembly side spells it. */
const tooManyFiles = 33

/** A message of the server: its type and its fields. */
const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, body])
}

const errorOf = (sqlState: string): Buffer =>
  message("E", Buffer.from(`SERROR\0VERROR\0C${sqlState}\0Mcould not\0\0`, "latin1"))

describe("an error of the database about itself", () => {
  const other = fc
    .tuple(fc.constantFrom("D", "T", "C", "Z", "N", "1", "2"), fc.uint8Array({ maxLength: 300 }))
    .map(([type, body]) => message(type, Buffer.from(body)))
  const sound = fc.constantFrom("23505", "40P01", "42P01", "53000", "53100", "57014", "22P02").map(errorOf)
  const damage = fc.constantFrom("58P02", "58P01", "58030", "58000", "XX000", "XX001", "XX002")
  const messages = fc.array(fc.oneof(other, sound), { maxLength: 20 })

  it("is damage when it is of class 58 or XX, wherever it stands among other messages", () =>
    forEvery(messages, damage, messages, (before, sqlState, after) => {
      assert.strictEqual(damageIn(Buffer.concat([...before, errorOf(sqlState), ...after])), sqlState)
      assert.isUndefined(damageIn(Buffer.concat([...before, ...after])))
    }))
})

const makeTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS gift (id int CONSTRAINT gift_id PRIMARY KEY, note text)`
})

const ids = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: number }>`SELECT id FROM gift ORDER BY id`
  return rows.map(({ id }) => id)
})

withLayer(Layer.effectDiscard(makeTable).pipe(Layer.provideMerge(EmbeddedDatabase.layerMemory)), {
  excludeTestServices: true
})("the embedded database", ({ effect }) => {
  const emptied = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE gift`
    return sql
  })

  effect("is in UTC, under our name", function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
          SELECT current_setting('TimeZone') AS zone, current_setting('application_name') AS name`
    assert.deepStrictEqual(rows, [{ zone: "UTC", name: "almoner" }])
  })

  effect("takes and gives three megabytes in one value", function* () {
    const sql = yield* emptied
    const note = "é".repeat(1_500_000)
    yield* sql`INSERT INTO gift VALUES (1, ${note})`
    const [row] = yield* sql<{ readonly note: string }>`SELECT note FROM gift`
    assert.isTrue(row?.note === note)
  })

  effect("serves many fibers: their statements do not mix, their transactions take turns", function* () {
    const sql = yield* emptied
    yield* sql`INSERT INTO gift VALUES (0, '0')`
    const count = sql.withTransaction(
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly note: string }>`SELECT note FROM gift WHERE id = 0`
        yield* Effect.yieldNow
        yield* sql`UPDATE gift SET note = ${String(Number(row?.note) + 1)} WHERE id = 0`
      })
    )
    const echo = (n: number) => Effect.map(sql`SELECT ${n}::int4 AS n`, (rows) => assert.deepStrictEqual(rows, [{ n }]))
    yield* Effect.forEach(
      Array.from({ length: 300 }, (_, n) => n),
      (n) => (n % 3 === 0 ? count : echo(n)),
      { concurrency: "unbounded", discard: true }
    )
    assert.deepStrictEqual(yield* sql`SELECT note FROM gift WHERE id = 0`, [{ note: "100" }])
  })

  effect("a fiber interrupted in a transaction leaves nothing, and the connection to others", function* () {
    const sql = yield* emptied
    const fiber = yield* sql
      .withTransaction(
        Effect.andThen(sql`INSERT INTO gift VALUES (1)`, sql`SELECT count(*) FROM generate_series(1, 200000)`)
      )
      .pipe(Effect.andThen(Effect.never), Effect.forkChild)
    yield* Fiber.interrupt(fiber)
    const second = yield* sql
      .withTransaction(Effect.andThen(sql`INSERT INTO gift VALUES (2)`, Effect.never))
      .pipe(Effect.forkChild)
    yield* Effect.sleep("20 millis")
    yield* Fiber.interrupt(second)
    assert.notInclude(yield* ids, 2)
  })

  effect("lets everything else have a turn between statements that take a while", function* () {
    const sql = yield* emptied
    let turns = 0
    const count = () => {
      turns += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    for (let n = 0; n < 20; n++) yield* sql`SELECT pg_sleep(0.006)`
    clearImmediate(counting)
    assert.isAtLeast(turns, 19)
  })

  effect("removes dead rows and knows its tables' sizes, as a server would by itself", function* () {
    const sql = yield* emptied
    yield* sql`INSERT INTO gift SELECT g, 'x' FROM generate_series(1, 2000) g`
    yield* sql`UPDATE gift SET note = 'y'`
    yield* sql`SELECT pg_stat_force_next_flush()`
    yield* tidy
    const [row] = yield* sql`
          SELECT c.reltuples::int4 AS rows, s.n_dead_tup::int4 AS dead
          FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 'gift'`
    assert.deepStrictEqual(row, { rows: 2000, dead: 0 })
  })
})

describe("a data folder", () => {
  let work: string
  let initialised: string
  let built: BuiltProcess

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "almoner-embedded-"))
    built = build()
    initialised = join(work, "initialised")
    await Effect.runPromise(makeTable.pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir: initialised }))))
  })
  afterAll(() => {
    rmSync(work, { recursive: true, force: true })
  })

  const freshFolder = (): string => {
    const folder = mkdtempSync(join(work, "folder-"))
    cpSync(initialised, folder, { recursive: true })
    return folder
  }
  const opening = (data_dir: string) =>
    Layer.build(EmbeddedDatabase.layer({ data_dir })).pipe(Effect.scoped, Effect.flip)

  it("is for its owner only", () => {
    for (const folder of [initialised, join(initialised, "run"), databaseFolder(initialised)]) {
      assert.strictEqual(statSync(folder).mode & 0o077, 0)
    }
  })

  for (const durability of ["synced", "relaxed"] as const) {
    live(`keeps what was committed when it is closed and opened again (${durability})`, function* () {
      const data_dir = freshFolder()
      const within = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        effect.pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir, durability })))
      yield* within(SqlClient.SqlClient.use((sql) => sql`INSERT INTO gift VALUES (1), (2)`))
      assert.deepStrictEqual(yield* within(ids), [1, 2])
    })
  }

  live("knows the size of a table that grew before it was opened, and takes no second look at it", function* () {
    const data_dir = freshFolder()
    const within = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      effect.pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir })))
    yield* within(SqlClient.SqlClient.use((sql) => sql`INSERT INTO gift SELECT g, 'x' FROM generate_series(1, 9000) g`))
    yield* within(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const looks = sql<{ readonly rows: number; readonly looks: number }>`
          SELECT c.reltuples::int4 AS rows, s.analyze_count::int4 AS looks
          FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 'gift'`
        yield* tidy
        yield* tidy
        assert.deepStrictEqual(yield* looks, [{ rows: 9_000, looks: 1 }])
      })
    )
  })

  const logFlags = (folder: string): ReadonlyArray<number> =>
    readdirSync("/proc/self/fd").flatMap((descriptor) => {
      try {
        const open = readlinkSync(`/proc/self/fd/${descriptor}`)
        const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1]
        return open.startsWith(join(folder, "pg_wal")) && flags !== undefined ? [Number.parseInt(flags, 8)] : []
      } catch {
        return []
      }
    })

  it.live.skipIf(process.platform !== "linux")("writes its log through to the disk, unless told to relax", () =>
    Effect.gen(function* () {
      for (const durability of ["synced", "relaxed"] as const) {
        const data_dir = freshFolder()
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO gift VALUES (1)`
          const flags = logFlags(databaseFolder(data_dir))
          assert.isNotEmpty(flags)
          for (const flag of flags) assert.strictEqual((flag & constants.O_DSYNC) !== 0, durability === "synced")
        }).pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir, durability })))
      }
    })
  )

  live("keeps every commit of a process that is killed, and is free at once", function* () {
    const data_dir = freshFolder()
    const child = built.run(
      `const program = Effect.gen(function* () {
           const sql = yield* SqlClient.SqlClient
           for (let id = 1; ; id++) {
             yield* sql.withTransaction(sql\`INSERT INTO gift VALUES (\${id})\`)
             console.log(id)
           }
         })
         await Effect.runPromise(program.pipe(Effect.provide(Embedded.layer({ data_dir: folder }))))`,
      data_dir
    )
    let answered = 0
    yield* Effect.promise(async () => {
      for await (const line of child.lines) {
        answered = Number(line)
        if (answered === 50) child.kill()
      }
      await child.ended
    })
    assert.isAtLeast(answered, 50)
    const kept = yield* ids.pipe(Effect.provide(EmbeddedDatabase.layer({ data_dir })))
    assert.isAtLeast(kept.length, answered)
    assert.deepStrictEqual(
      kept,
      kept.map((_, index) => index + 1)
    )
  })

  live("that is open is refused to the same and to another process, which learn by whom", function* () {
    const data_dir = freshFolder()
    yield* Layer.build(EmbeddedDatabase.layer({ data_dir }))
    const here = yield* opening(data_dir)
    assert.strictEqual(here._tag, "DataFolderLocked")
    assert.include(here.message, `process id ${process.pid}`)
    const child = built.run(
      `const failure = await Effect.runPromise(
           Layer.build(Embedded.layer({ data_dir: folder })).pipe(Effect.scoped, Effect.flip))
         console.log(failure._tag, failure.pid)`,
      data_dir
    )
    const lines = yield* Effect.promise(async () => {
      const lines: Array<string> = []
      for await (const line of child.lines) lines.push(line)
      return lines
    })
    assert.deepStrictEqual(lines, [`DataFolderLocked ${process.pid}`])
  })

  live("whose first initialisation was cut short starts afresh", function* () {
    const data_dir = freshFolder()
    const half = join(data_dir, "postgres.new-0123456789ab")
    mkdirSync(half)
    writeFileSync(join(half, "PG_VERSION"), "18\n")
    yield* Layer.build(EmbeddedDatabase.layer({ data_dir })).pipe(Effect.scoped)
    assert.isFalse(existsSync(half))
  })

  live("that is a file is refused in words", function* () {
    const file = join(work, "file")
    writeFileSync(file, "")
    const failure = yield* opening(file)
    assert.strictEqual(failure.message, `The data folder ${file} cannot be used: it is not a folder.`)
  })

  live("that may not be written is refused in words", function* () {
    const folder = mkdtempSync(join(tmpdir(), "almoner-foreign-"))
    const root = process.getuid?.() === 0
    yield* Effect.acquireUseRelease(
      Effect.sync(() => (root ? process.seteuid?.(65534) : undefined)),
      () =>
        Effect.gen(function* () {
          const target = root ? folder : "/"
          const failure = yield* opening(join(target, "data"))
          assert.strictEqual(failure._tag, "DataFolderUnusable")
          assert.include(failure.message, "this user may not write to it")
        }),
      () => Effect.sync(() => (root ? process.seteuid?.(0) : undefined))
    )
    rmSync(folder, { recursive: true })
  })

  live("that is damaged within is refused with what the database said", function* () {
    const data_dir = freshFolder()
    writeFileSync(join(databaseFolder(data_dir), "PG_VERSION"), "9\n")
    const failure = yield* opening(data_dir)
    assert.strictEqual(failure._tag, "DataFolderUnusable")
    assert.include(failure.message, "incompatible")
  })

  /** An engine on the folder with its client; `onOpen` is told of every database that it opens. */
  const watched = Effect.fnUntraced(function* (folder: string, onOpen: (database: PGlite) => void) {
    const incidents: Array<Incident> = []
    const engine = yield* Effect.acquireRelease(
      Effect.promise(() =>
        makeEngine(
          async () => {
            const database = await openFolder(folder, "synced")
            onOpen(database)
            return database
          },
          (incident) => incidents.push(incident)
        )
      ),
      (engine) => Effect.promise(() => engine.close())
    )
    const client = PgClient.layer({
      stream: () => new EmbeddedStream(engine),
      username: "postgres",
      maxConnections: 1,
      multiplex: true
    })
    return { client, incidents, tags: () => incidents.map(({ _tag }) => _tag) } as const
  })

  /** As when no descriptor is left in the middle of making a file, and its name stays behind. */
  const leaveName = (database: PGlite, isDue: () => boolean) => {
    const { ErrnoError } = database.Module.FS
    const { createNode, node_ops } = Object(database.Module)["NODEFS"]
    const { mknod } = node_ops
    node_ops.mknod = (parent: object, name: string, mode: number, device: number) => {
      if (!isDue()) return mknod(parent, name, mode, device)
      createNode(parent, name, mode, device)
      throw new ErrnoError(tooManyFiles)
    }
  }

  live("whose database breaks down in use is recovered with every commit, without a hand", function* () {
    let breakNext = false
    const { client, tags } = yield* watched(databaseFolder(freshFolder()), (database) => {
      const step = database.Module._PostgresMainLoopOnce
      database.Module._PostgresMainLoopOnce = () => {
        if (breakNext) {
          breakNext = false
          throw new Error("unreachable")
        }
        step()
      }
    })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO gift VALUES (1)`
      const exit = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO gift VALUES (2)`
            breakNext = true
            yield* sql`INSERT INTO gift VALUES (3)`
          })
        )
        .pipe(Effect.exit)
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(yield* ids, [1])
      yield* sql`INSERT INTO gift VALUES (4)`
      assert.deepStrictEqual(yield* ids, [1, 4])
      assert.deepStrictEqual(tags(), ["Damaged", "Reopened"])
    }).pipe(Effect.provide(client))
  })

  live(
    "whose database reports damage of its own is opened again: what was answered is kept, and work goes on",
    function* () {
      let makeDamage = false
      const { client, tags } = yield* watched(databaseFolder(freshFolder()), (database) =>
        leaveName(database, () => {
          const due = makeDamage
          makeDamage = false
          return due
        })
      )
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO gift VALUES (1)`
        makeDamage = true
        const refused = yield* sql
          .withTransaction(Effect.andThen(sql`INSERT INTO gift VALUES (2)`, sql`CREATE TABLE more (id int)`))
          .pipe(Effect.exit)
        assert.isTrue(Exit.isFailure(refused))
        assert.deepStrictEqual(yield* ids, [1])
        yield* sql`CREATE TABLE more (id int)`
        yield* sql`INSERT INTO gift VALUES (3)`
        assert.deepStrictEqual(yield* ids, [1, 3])
        assert.deepStrictEqual(tags(), ["Damaged", "Reopened"])
      }).pipe(Effect.provide(client))
    }
  )

  live("that cannot be opened again is tried again by itself, not with every request", function* () {
    const folder = databaseFolder(freshFolder())
    const [control, aside] = [join(folder, "global", "pg_control"), join(folder, "pg_control.aside")]
    let breakNext = false
    const { client, incidents } = yield* watched(folder, (database) => {
      const step = database.Module._PostgresMainLoopOnce
      database.Module._PostgresMainLoopOnce = () => {
        if (breakNext) throw new Error("unreachable")
        step()
      }
    })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO gift VALUES (1)`
      renameSync(control, aside)
      breakNext = true
      const asked = 50
      for (let turn = 0; turn < asked; turn++) yield* sql`SELECT 1`.pipe(Effect.flip)
      const attempts = incidents.filter(({ _tag }) => _tag === "NotReopened").length
      assert.isAbove(attempts, 0)
      assert.isBelow(attempts, asked / 5)
      breakNext = false
      renameSync(aside, control)
      const found = ids.pipe(Effect.retry({ schedule: Schedule.spaced("100 millis") }))
      assert.deepStrictEqual(yield* found, [1])
      assert.strictEqual(incidents.at(-1)?._tag, "Reopened")
    }).pipe(Effect.provide(client))
  })

  describe("'s lock", () => {
    const tryLock = (data_dir: string) => Effect.option(FolderLock.acquire(data_dir))

    live("goes to exactly one of many starters, also over the lock of a process that died", function* () {
      for (let round = 0; round < 20; round++) {
        const data_dir = mkdtempSync(join(work, "lock-"))
        if (round % 2 === 1) {
          mkdirSync(join(data_dir, "run"))
          writeFileSync(join(data_dir, "run", "lock.7"), JSON.stringify({ pid: process.pid, socket: "gone.sock" }))
        }
        const taken = yield* Effect.all(
          Array.from({ length: 2 + (round % 5) }, () => tryLock(data_dir)),
          { concurrency: "unbounded" }
        ).pipe(Effect.scoped)
        assert.lengthOf(taken.filter(Option.isSome), 1)
      }
    })

    live("is free when its holder let go, and leaves no sockets behind", function* () {
      const data_dir = mkdtempSync(join(work, "lock-"))
      for (let turn = 0; turn < 3; turn++) yield* Effect.scoped(FolderLock.acquire(data_dir))
      assert.deepStrictEqual(readdirSync(join(data_dir, "run")), ["lock.3"])
    })

    live("of a process id that lives again as another process is not in the way", function* () {
      const data_dir = mkdtempSync(join(work, "lock-"))
      mkdirSync(join(data_dir, "run"))
      writeFileSync(join(data_dir, "run", "lock.1"), JSON.stringify({ pid: process.ppid, socket: "gone.sock" }))
      yield* Effect.scoped(FolderLock.acquire(data_dir))
      const held: unknown = JSON.parse(readFileSync(join(data_dir, "run", "lock.2"), "utf8"))
      assert.propertyVal(held, "pid", process.pid)
    })

    live("holds in a folder whose path is longer than a socket's address", function* () {
      const data_dir = join(work, "long".repeat(40), "er".repeat(40))
      yield* FolderLock.acquire(data_dir)
      assert.isTrue(Option.isNone(yield* tryLock(data_dir)))
    })
  })
})
