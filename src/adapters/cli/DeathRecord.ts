import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Option, Result, Schema, Semaphore } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { Work, WorkGuard } from "../../ports/kernel/WorkGuard.ts"
import { keepFile } from "./KeptFile.ts"
import { type Mark, makeWorkMarks } from "./WorkMarks.ts"

/** How often the process died while it worked on something, and when it last did, in milliseconds. */
const Death = Schema.Struct({ kind: Schema.String, count: Schema.Int, at: Schema.Int })
type Death = typeof Death.Type

const readDeaths = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Death)))

const hourMillis = 3_600_000

export const fileOf = (dataDir: string): string => join(dataDir, "deaths.json")

/** What was recorded lately. A file that is missing or is not ours tells nothing. */
const read = (file: string): Map<string, Death> => {
  try {
    const since = Date.now() - Limits.setAsideHours * hourMillis
    const found = Result.getOrElse(readDeaths(readFileSync(file, "utf8")), () => ({}))
    return new Map(Object.entries(found).filter(([, { at }]) => at > since))
  } catch {
    return new Map()
  }
}

const write = (dataDir: string, deaths: ReadonlyMap<string, Death>): void =>
  keepFile(fileOf(dataDir), `${JSON.stringify(Object.fromEntries(deaths), null, 2)}\n`)

const isSetAside = (known: Death | undefined): boolean =>
  known !== undefined &&
  known.count >= Limits.deathsUntilSetAside &&
  known.at > Date.now() - Limits.setAsideHours * hourMillis

const addDeaths = (deaths: Map<string, Death>, works: ReadonlyArray<Mark>): void => {
  const at = Date.now()
  for (const { id, kind } of works) {
    if (!deaths.has(id) && deaths.size >= Limits.deathsRecorded) continue
    deaths.set(id, { kind, count: (deaths.get(id)?.count ?? 0) + 1, at })
  }
}

/** A guard over the work of a process, and what is to be called when that dies. */
export interface DeathRecord {
  readonly guard: (typeof WorkGuard)["Service"]
  /** Records that the process dies of something that nothing caught: whatever is worked on may be its cause. */
  readonly died: () => void
  /** Records that the process ends as it should. */
  readonly ended: () => void
}

/**
 * Sets aside what the process worked on when it died, after it did so three times within a day: otherwise whatever makes a
 * library throw where nobody can catch it, or takes all memory, would end the process again after each start. Of work that was
 * under way at a death one piece of a kind is done at a time, until it is known to be innocent; the others are left to their
 * leases. docs/decisions/0076.
 */
export const makeDeathRecord = (dataDir: string): DeathRecord => {
  const deaths = read(fileOf(dataDir))
  const told = new Set<string>()
  const underWay = new Set<Work>()
  const marks = makeWorkMarks(dataDir, underWay)
  const turns = new Map<string, Semaphore.Semaphore>()

  const turnOf = ({ kind }: Work): Semaphore.Semaphore => {
    const turn = turns.get(kind) ?? Semaphore.makeUnsafe(1)
    turns.set(kind, turn)
    return turn
  }

  const tell = (work: Work): Effect.Effect<void> => {
    if (told.has(work.id)) return Effect.void
    told.add(work.id)
    return Effect.logError(
      `The process died ${Limits.deathsUntilSetAside} times while it worked on the ${work.kind} ${work.id}, which is set aside for ${Limits.setAsideHours} hours. To try it before, delete ${fileOf(dataDir)} and start again`
    )
  }

  const count = (works: ReadonlyArray<Mark>): void => {
    addDeaths(deaths, works)
    if (works.length > 0) write(dataDir, deaths)
  }

  count(marks.left)

  let isDying = false

  /** What has ended well, ended no process; of one that is dying nobody knows what ended it. */
  const acquit = ({ id }: Work): void => {
    if (!isDying && deaths.delete(id)) write(dataDir, deaths)
  }

  const watched = <A>(work: Work, running: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      underWay.add(work)
      marks.begin(work)
      return Effect.onExit(running, (exit) =>
        Effect.sync(() => {
          underWay.delete(work)
          marks.end()
          if (Exit.isSuccess(exit)) acquit(work)
        })
      )
    })

  return {
    guard: {
      run: (work, running) =>
        Effect.suspend(() => {
          if (isSetAside(deaths.get(work.id))) return Effect.as(tell(work), Option.none())
          const run = watched(work, running)
          return deaths.has(work.id) ? turnOf(work).withPermitsIfAvailable(1)(run) : Effect.asSome(run)
        })
    },
    died: () => {
      if (isDying) return
      isDying = true
      count([...underWay])
      marks.clear()
    },
    ended: marks.clear
  }
}
