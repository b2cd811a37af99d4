import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Result, Schema } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { Work } from "../../ports/kernel/WorkGuard.ts"

/** Work as it is kept; its kind may be one that another version knows. */
const Mark = Schema.Struct({ kind: Schema.String, id: Schema.String })
export type Mark = typeof Mark.Type

const readMark = Schema.decodeUnknownResult(Schema.fromJsonString(Mark))

/** How long a mark may outlast its work, milliseconds: what is taken up again meanwhile needs no other. */
const clearAfterMillis = 100

const prefix = "under-way"

/** The file of this process, which the next one of the same number on this host takes for that of its predecessor. */
const nameOf = (pid: number | string): string => `${prefix}.${hostname()}.${pid}`

/** Files are written as far as they can be: whoever keeps marks can do without. */
const attempt = (write: () => void): void => {
  try {
    write()
  } catch {}
}

const lineOf = ({ id, kind }: Mark): string => `${JSON.stringify({ kind, id })}\n`

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** The files of processes of this host that were killed, and those of others that nobody has written for long. */
const leftIn = (dataDir: string) => {
  const since = Date.now() - Limits.setAsideHours * 3_600_000
  const files = readdirSync(dataDir).filter((name) => name.startsWith(`${prefix}.`))
  const isDead = (name: string) => {
    const pid = Number(name.slice(nameOf("").length))
    return name.startsWith(nameOf("")) && (pid === process.pid || !isAlive(pid))
  }
  return {
    dead: files.filter(isDead),
    old: files.filter((name) => !isDead(name) && statSync(join(dataDir, name)).mtimeMs < since)
  }
}

/** What processes left that were killed; it is left no more then. */
const takeLeft = (dataDir: string): ReadonlyArray<Mark> => {
  const found = new Map<string, Mark>()
  attempt(() => {
    const { dead, old } = leftIn(dataDir)
    for (const name of dead) {
      for (const line of readFileSync(join(dataDir, name), "utf8").split("\n")) {
        const mark = readMark(line)
        if (Result.isSuccess(mark)) found.set(mark.success.id, mark.success)
      }
    }
    for (const name of [...dead, ...old]) rmSync(join(dataDir, name), { force: true })
  })
  return [...found.values()]
}

/** The marks of work under way, in a file that outlives a process that is killed. */
export interface WorkMarks {
  /** What was under way in processes that were killed. */
  readonly left: ReadonlyArray<Mark>
  readonly begin: (work: Work) => void
  /** Some work has ended: its mark goes soon. */
  readonly end: () => void
  /** The process ends: nothing is under way, or it is written down elsewhere. */
  readonly clear: () => void
}

/**
 * Marks what is under way before it begins, with one small write that no disk is waited for: it need not outlive the computer.
 * Work that is marked still, as that of an endpoint with many webhooks, is marked once. docs/decisions/0076.
 */
export const makeWorkMarks = (dataDir: string, underWay: ReadonlySet<Work>): WorkMarks => {
  const left = takeLeft(dataDir)
  const file = join(dataDir, nameOf(process.pid))
  let marked = new Set<string>()
  /** The file, as long as anything is under way: to open it for each mark took as long as a statement. */
  let open: number | undefined
  let isToClear = false
  let isOver = false

  const close = () => {
    const was = open
    if (was !== undefined) attempt(() => closeSync(was))
    open = undefined
  }

  const keep = () => {
    isToClear = false
    if (isOver) return
    const still = new Map(Array.from(underWay, (work) => [work.id, work]))
    marked = new Set(still.keys())
    attempt(() => {
      if (open === undefined) return
      ftruncateSync(open)
      writeSync(open, Array.from(still.values(), lineOf).join(""))
    })
    if (still.size === 0) close()
  }

  return {
    left,
    begin: (work) => {
      if (isOver || marked.has(work.id)) return
      marked.add(work.id)
      attempt(() => {
        if (open === undefined) mkdirSync(dataDir, { recursive: true })
        open ??= openSync(file, "a")
        writeSync(open, lineOf(work))
      })
    },
    end: () => {
      if (!isToClear) setTimeout(keep, clearAfterMillis).unref()
      isToClear = true
    },
    clear: () => {
      isOver = true
      close()
      attempt(() => rmSync(file, { force: true }))
    }
  }
}
