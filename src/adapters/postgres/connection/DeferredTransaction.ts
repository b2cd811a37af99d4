import { type Context, Effect, Semaphore, Stream } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { Fragment, Statement } from "effect/sql/Statement"
import { HostSession } from "../host/HostPool.ts"
import type { LazyConnection } from "./LazyConnection.ts"
import { CurrentLevel, type Ends } from "./LazyConnection.ts"
import {
  bothAdded,
  type DeferredWrite,
  lockRows,
  oneStatement,
  type ReservedKey,
  type RowRead
} from "./OneStatement.ts"

type Transform = Parameters<Connection["execute"]>[2]

type Step =
  | { readonly _tag: "Savepoint"; readonly name: string }
  | { readonly _tag: "Write"; readonly noted: DeferredWrite }

/** A row that was read has changed, or the key is not new: nothing is written, and the unit runs again from its beginning. */
const overtaken = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("another change came in between, and nothing was written"),
    operation: "commit"
  })
})

/** What is noted with a further write; undefined where that has to come in a later statement. Savepoints part what comes before and after. */
const stepsWith = (steps: ReadonlyArray<Step>, write: DeferredWrite): Array<Step> | undefined => {
  const isOf = (part: string | undefined) => (step: Step) => step._tag === "Write" && step.noted.part === part
  if (steps.some(isOf(write.sees))) return undefined
  const index = steps.findIndex(isOf(write.part))
  const earlier = steps[index]
  if (earlier?._tag !== "Write") return [...steps, { _tag: "Write", noted: write }]
  const isParted = steps.slice(index).some(({ _tag }) => _tag === "Savepoint")
  const noted = isParted ? undefined : bothAdded(earlier.noted, write)
  return noted === undefined ? undefined : steps.with(index, { _tag: "Write", noted })
}

/**
 * A unit of work that may run again, sent as one statement at its end. Until then it locks nothing: what it reads for a
 * change it reads beside others on a shared session, with the row's version, and its writes are noted. Its one
 * statement takes its key, where it has one, locks the rows that are still of their versions, and writes if it has all
 * of them. Whatever the notes cannot hold (a statement of another kind, a second write of one kind) turns it into a
 * transaction on a session of its own, which takes and locks the same first, and goes on from there. What most deferred
 * transactions never need is made when it is. docs/decisions/0047.
 */
export class DeferredTransaction implements Ends {
  private readonly sql: SqlClient.SqlClient
  private readonly session: LazyConnection
  private readonly around: Context.Context<never>
  private readonly held: Array<RowRead> = []
  private touched: DeferredWrite | undefined = undefined
  private turn: Semaphore.Semaphore | undefined = undefined
  private key: ReservedKey | undefined = undefined
  private steps: Array<Step> = []
  private state: "broken" | "draft" | "transaction" = "draft"

  /** `around` is what surrounds the transaction. */
  constructor(sql: SqlClient.SqlClient, session: LazyConnection, around: Context.Context<never>) {
    this.sql = sql
    this.session = session
    this.around = around
  }

  private get notes(): ReadonlyArray<DeferredWrite> {
    return this.steps.flatMap((step) => (step._tag === "Write" ? [step.noted] : []))
  }

  /** Whether it can be asked to read: what it wrote itself nobody could see yet. */
  get isReading(): boolean {
    return this.state === "draft" && this.notes.length === 0
  }

  /** Whether it can be told of a row that is changed with whatever it writes: it has one at most. */
  get canTouch(): boolean {
    return this.isReading && this.key !== undefined && this.touched === undefined
  }

  /** Whether it can be told to reserve a key: it has one at most, and before everything else. */
  get isUntouched(): boolean {
    return this.isReading && this.key === undefined && this.held.length === 0
  }

  /** Notes one write of each part, and no other key's answer; as a transaction, what its session notes. */
  note(write: DeferredWrite): Effect.Effect<boolean, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.state === "transaction") return this.session.note(write)
      const isIts = write.scope === undefined || write.scope === this.key?.scope
      const steps = this.state === "draft" && isIts ? stepsWith(this.steps, write) : undefined
      if (steps !== undefined) this.steps = steps
      return Effect.succeed(steps !== undefined)
    })
  }

  /** Reads what no write that is noted changes. */
  aside<A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.state === "draft" ? this.beside(statement) : Effect.flatMap(this.open, (session) => session.aside(statement))
    )
  }

  reserve(key: ReservedKey): void {
    this.key = key
  }

  hold(reading: RowRead): void {
    if (reading.rows.length > 0) this.held.push(reading)
  }

  /** What is written besides all notes: no read has to see it. */
  touch(write: DeferredWrite): void {
    this.touched = write
  }

  /** Runs a statement beside the transaction. */
  beside<A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> {
    return Effect.updateContext(statement, () => this.around)
  }

  private onSession<A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> {
    const [text, params] = statement.compile()
    return this.session.execute(text, params, undefined)
  }

  private takeKey({ lock, organisation_id, scope }: ReservedKey) {
    const { sql } = this
    return Effect.gen({ self: this }, function* () {
      const locked = yield* this.onSession(sql`SELECT 1 AS locked WHERE pg_try_advisory_xact_lock(${lock}::int8)`)
      if (locked.length === 0) return yield* overtaken
      const known = yield* this.onSession(sql`
        SELECT r.scope FROM idempotency_records AS r
        WHERE r.organisation_id = ${organisation_id} AND r.scope = ${scope}`)
      if (known.length > 0) return yield* overtaken
    })
  }

  private take(step: Step): Effect.Effect<void, SqlError.SqlError> {
    if (step._tag === "Savepoint") return this.session.savepoint(step.name)
    const { noted } = step
    return Effect.flatMap(this.session.note(noted), (isNoted) =>
      isNoted ? Effect.void : Effect.map(this.onSession(noted.direct()), (rows) => noted.told?.(rows))
    )
  }

  private begin(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.gen({ self: this }, function* () {
      this.state = "broken"
      if (this.key !== undefined) yield* this.takeKey(this.key)
      for (const reading of this.held) {
        const rows = yield* this.onSession(lockRows(this.sql, reading))
        if (rows.length < reading.rows.length) return yield* overtaken
      }
      if (this.touched !== undefined) yield* this.onSession(this.touched.direct())
      for (const step of this.steps) yield* this.take(step)
      this.state = "transaction"
    })
  }

  /** The session, with all that was noted done on it. */
  private get open(): Effect.Effect<LazyConnection, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.state === "transaction") return Effect.succeed(this.session)
      this.turn ??= Semaphore.makeUnsafe(1)
      return this.turn.withPermit(Effect.suspend(() => this.opened()))
    })
  }

  private opened(): Effect.Effect<LazyConnection, SqlError.SqlError> {
    if (this.state === "transaction") return Effect.succeed(this.session)
    return this.state === "broken" ? Effect.fail(overtaken) : Effect.as(this.begin(), this.session)
  }

  private send(keyed: Parameters<typeof oneStatement>[1]["keyed"]): Effect.Effect<void, SqlError.SqlError> {
    const noted = this.notes.filter((each) => each !== keyed?.answer)
    const writes = this.touched === undefined ? noted : [...noted, this.touched]
    return Effect.flatMap(
      this.beside(oneStatement(this.sql, { keyed, held: this.held, writes })),
      ([row]): Effect.Effect<void, SqlError.SqlError> => {
        if (row?.written !== true) return Effect.fail(overtaken)
        for (const { told } of writes) told?.([row])
        return Effect.void
      }
    )
  }

  /** A key whose answer is not kept is read all the same: it may have one by now. Nobody else rolls back what fails here. */
  get commit(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      const { key, notes, state } = this
      const answer = notes.find(({ part }) => part === "answer")
      if (state === "draft" && key !== undefined && answer !== undefined) return this.send({ key, answer })
      if (state === "draft" && key === undefined) return notes.length === 0 ? Effect.void : this.send(undefined)
      return Effect.flatMap(
        Effect.tapError(this.open, () => this.session.rollback),
        ({ commit }) => commit
      )
    })
  }

  get rollback(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => (this.state === "draft" ? Effect.void : this.session.rollback))
  }

  savepoint(name: string): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.state !== "draft") return this.session.savepoint(name)
      this.steps.push({ _tag: "Savepoint", name })
      return Effect.void
    })
  }

  private indexOf(name: string): number {
    return this.steps.findLastIndex((step) => step._tag === "Savepoint" && step.name === name)
  }

  releaseSavepoint(name: string): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.state !== "draft") return this.session.releaseSavepoint(name)
      this.steps.splice(this.indexOf(name), 1)
      return Effect.void
    })
  }

  /** Forgets the writes noted since the savepoint. Rows read since then stay held, which is more than is needed. */
  rollbackSavepoint(name: string): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.state !== "draft") return this.session.rollbackSavepoint(name)
      this.steps = this.steps.slice(0, this.indexOf(name) + 1)
      return Effect.void
    })
  }

  execute(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Effect.flatMap(this.open, (session) => session.execute(text, params, transformRows))
  }
  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (session) => session.executeRaw(text, params))
  }
  executeStream(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Stream.unwrap(Effect.map(this.open, (session) => session.executeStream(text, params, transformRows)))
  }
  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (session) => session.executeValues(text, params))
  }
  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (session) => session.executeValuesUnprepared(text, params))
  }
  executeUnprepared(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Effect.flatMap(this.open, (session) => session.executeUnprepared(text, params, transformRows))
  }
}

/** The deferred transaction that is open here and fulfils a condition, if any. */
const draftWith = (
  condition: (deferred: DeferredTransaction) => boolean
): Effect.Effect<DeferredTransaction | undefined> =>
  Effect.map(CurrentLevel, (level) => {
    const connection = level?.connection
    return connection instanceof DeferredTransaction && condition(connection) ? connection : undefined
  })

/** The deferred transaction that a key can be reserved in. */
export const reservingTransaction = draftWith(({ isUntouched }) => isUntouched)

/** The deferred transaction that reads for the current work. */
const readingDraft = draftWith(({ isReading }) => isReading)

/**
 * Notes a write in the transaction that is open here; where none takes it, runs `otherwise`. A noted write cannot fail here:
 * if a value turns out to be taken, the unit runs again, and its write is refused then.
 */
export const notedOr = <E, R>(
  write: DeferredWrite,
  otherwise: () => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(CurrentLevel, (level) =>
    level === undefined
      ? otherwise()
      : Effect.flatMap(Effect.orDie(level.connection.note(write)), (isNoted) => (isNoted ? Effect.void : otherwise()))
  )

/** Runs a write, now or at the end of the deferred transaction that is open here. */
export const runWrite = (write: DeferredWrite): Effect.Effect<void, SqlError.SqlError> =>
  notedOr(write, () => Effect.map(write.direct(), (rows) => write.told?.(rows)))

/** Whether a look that no lock holds can go to any session: nothing that it has to see is being written here. */
export const isBeside: Effect.Effect<boolean> = Effect.gen(function* () {
  if ((yield* readingDraft) !== undefined) return true
  return (yield* CurrentLevel) === undefined && (yield* HostSession) === undefined
})

/** Reads rows that no lock holds and a constraint guards: beside a deferred transaction, where one is open. */
export const readBeside = <A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> =>
  Effect.flatMap(readingDraft, (draft) => draft?.beside(statement) ?? statement)

/** Reads a table that no unit of work notes writes of: what is noted need not be sent for it. */
export const readAside = <A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> =>
  Effect.flatMap(CurrentLevel, (level) => level?.connection.aside(statement) ?? statement)

/**
 * Reads records to change them: `select` with its lock, or, where a deferred transaction is open, with their versions,
 * which that compares again when it writes. The select ends in its WHERE, and reads from a table that it calls `t`.
 */
export const readForChange = (
  sql: SqlClient.SqlClient,
  {
    order,
    select,
    where,
    ...reading
  }: Omit<RowRead, "rows"> & {
    readonly select: Fragment
    readonly where: Fragment
    readonly order?: Fragment
  }
): Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError.SqlError> =>
  Effect.flatMap(readingDraft, (draft) => {
    const rest = sql`FROM ${sql(reading.table)} AS t ${where} ${order ?? sql.literal("")}`
    if (draft === undefined) return sql`SELECT ${select} ${rest} ${sql.literal(reading.strength)}`
    const found = draft.beside(
      sql<Readonly<Record<string, unknown>>>`SELECT ${select}, t.xmin::text AS version ${rest}`
    )
    return Effect.tap(found, (rows) =>
      Effect.sync(() =>
        draft.hold({ ...reading, rows: rows.map(({ id, version }) => ({ id: `${id}`, version: `${version}` })) })
      )
    )
  })

/** A row that stands for something that has no row of its own. */
interface Stand {
  readonly table: string
  readonly organisation_id: string
  readonly id: string
}

/**
 * Holds what a row stands for against every other work that holds it: each changes the row, and makes it where there is none.
 * A deferred transaction changes it with what it writes; of two that find none, the second to write runs again.
 */
export const holdByChange = (sql: SqlClient.SqlClient, stand: Stand): Effect.Effect<void, SqlError.SqlError> => {
  const { id, organisation_id, table } = stand
  const values = sql`${organisation_id}::text, ${id}::text, 1`
  const make = sql`INSERT INTO ${sql(table)} AS t (organisation_id, id, changes)`
  const named = sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
  const change = sql`UPDATE ${sql(table)} AS t SET changes = t.changes + 1 ${named}`
  return Effect.gen(function* () {
    const draft = yield* draftWith(({ canTouch }) => canTouch)
    if (draft === undefined) {
      return yield* Effect.asVoid(
        sql`${make} VALUES (${values}) ON CONFLICT (organisation_id, id) DO UPDATE SET changes = t.changes + 1`
      )
    }
    const rows = yield* readForChange(sql, {
      table,
      organisation_id,
      strength: "FOR NO KEY UPDATE",
      select: sql`t.id`,
      where: named
    })
    draft.touch(
      rows.length > 0
        ? { part: "hold", direct: () => change, gated: (condition) => sql`touched AS (${change} AND ${condition})` }
        : {
            part: "hold",
            direct: () => sql`${make} VALUES (${values})`,
            gated: (condition) => sql`touched AS (${make} SELECT ${values} WHERE ${condition})`
          }
    )
  })
}
