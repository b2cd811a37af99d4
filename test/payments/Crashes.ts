import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"
import { bundleModule } from "../e2e/Program.ts"
import { nodeFlags } from "../support/NodeFlags.ts"
import type { Command } from "./CrashProcess.ts"
import type { Failpoint } from "./Failpoints.ts"
import type { Address } from "./GivingSite.ts"
import { giftsOf } from "./Life.ts"
import { faultsOfLife, type How } from "./LifeFaults.ts"
import type { Report } from "./LifeReport.ts"
import { lifeOf, toMany } from "./Lives.ts"

/** A database, as the processes are told of it: a server's address, or the folder of an embedded one. */
export type Database = { readonly DATABASE: string } | { readonly FOLDER: string }

interface Environment {
  readonly database: Database
  readonly folder: string
}

/** A process that lives gifts. */
interface Child {
  /** Answers what the process said, or `killed`. Fails where it ended in any other way. */
  readonly tell: (command: Command) => Promise<unknown>
  readonly end: () => Promise<void>
}

const startChild = async ({ database, folder }: Environment): Promise<Child> => {
  const program = await bundleModule("crash-process", { entryPoints: [join(root, "test/payments/CrashProcess.ts")] })
  const files = { CALLS: join(folder, "calls"), LOG: join(folder, "log") }
  const child = spawn(process.execPath, [...nodeFlags, program], {
    env: { PATH: process.env["PATH"] ?? "", ...database, ...files },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  child.stdin.on("error", () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once("close", (status, signal) => resolve(signal ?? status))
  )
  return {
    tell: async (command) => {
      child.stdin.write(`${JSON.stringify(command)}\n`)
      const { done, value } = await lines.next()
      if (!done) return JSON.parse(value)
      const how = await ended
      // Node shows the place in the bundle before what was thrown there.
      assert.strictEqual(how, "SIGKILL", stderr.split(/^ *\^\n\n/m).at(-1))
      return "killed"
    },
    end: async () => {
      child.stdin.end()
      await ended
    }
  }
}

/** Points of all, spread over them, and other ones in each run. */
export const spreadPoints = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const step = all.length / Math.min(count, all.length)
  const first = Math.random() * step
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, index) => all[Math.floor(first + index * step)]
  ).filter((each) => each !== undefined)
}

const living = (address: Address, n: number, { life, point }: Failpoint, isStopped: boolean): Command => ({
  do: "live",
  address,
  life,
  n,
  until: isStopped ? point : null
})

/** How often the processor was told each thing about each charge. */
const callsOf = async ({ folder }: Environment): Promise<ReadonlyMap<string, number>> => {
  const lines = (await readFile(join(folder, "calls"), "utf8")).trimEnd().split("\n")
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** What nobody may find in a log: what donors pay with, and who they are. */
const canaries = /canary|4242|4000 ?00|\d{3}-\d{3} \d{9}|waits@example/i

/**
 * How often the processor may be told to take the money of one charge: once where one process works on it at a time. Of two
 * that meet, one may send under the same key what the other is about to send.
 */
const atMost: Readonly<Record<How, number>> = { alone: 1, beside: 2 }

const assertLived = async (environment: Environment, report: Report, stopped: ReadonlyArray<Failpoint>, how: How) => {
  assert.deepStrictEqual(report.faults, [])
  const calls = await callsOf(environment)
  const wrong: Array<string> = []
  let gifts = 0
  for (const [n, { life: name, point }] of stopped.entries()) {
    const life = lifeOf(name)
    const lived = report.gifts[n]
    gifts += giftsOf(life)
    const confirmed = [lived?.charge_id, lived?.next_id].map((id) => calls.get(`confirm ${id}`) ?? 0)
    const renewed = (lived?.recurring?.charges ?? []).map((id) => calls.get(`chargeMandate ${id}`) ?? 0)
    const confirmations = Math.max(...confirmed, ...renewed)
    const faults = [
      ...faultsOfLife(life, lived, how),
      ...(confirmations <= atMost[how] ? [] : [`It was confirmed ${confirmations} times.`])
    ]
    wrong.push(...faults.map((fault) => `${name}, stopped at: ${point}: ${fault}`))
  }
  assert.deepStrictEqual(wrong, [])
  assert.strictEqual(report.donations, gifts)
  const log = await readFile(join(environment.folder, "log"), "utf8").catch(() => "")
  assert.notMatch(log, canaries)
}

const inFolder = async <A>(database: Database, use: (environment: Environment) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "almoner-crash-"))
  try {
    return await use({ database, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const takesAll: ReadonlySet<string> = new Set(["reconcile", "sweep", "share"])

/** Whether a life goes through whatever others have left, so that it may come by a point of this name or not. */
const comparesAll = ({ life, point }: Failpoint): boolean =>
  typeof point === "string" && lifeOf(life).acts.some(({ _tag }) => takesAll.has(_tag))

/**
 * How many lives a point is given to be passed in. Two gifts that are looked at side by side take turns as they come, so one of
 * their points may be passed on another way. What compares everything looks at the gifts before it, too, and may come by
 * another way each time.
 */
const livesOf = (at: Failpoint): number => (comparesAll(at) ? 1 : 3)

/**
 * A point that no life of its own passed is missed. These lives are lived to their ends and held to their outcome, too; more
 * than a few would mean that the list is wrong.
 */
const missable = (points: number): number => Math.ceil(points / 50)

/**
 * Kills a process with SIGKILL at each of these points, one gift each and another where the point was missed, has the next process take each life up again, and
 * asserts that all of them went as if nothing had happened.
 */
export const killAtEach = (database: Database, at: ReadonlyArray<Failpoint>): Promise<void> =>
  killAt(database, 1, async () => at)

/** The same at so many of all the points that a payment to many recipients passes, at each as often as it comes by. */
export const killWhileShared = (database: Database, count: number): Promise<void> =>
  killAt(database, toMany.recipients, async (live) => {
    const passed = await live(toMany.name)
    const numbers = Array.from({ length: passed }, (_, index) => index + 1)
    return spreadPoints(numbers, count).map((point) => ({ life: toMany.name, point }))
  })

/** `points` are asked for once there is a place whose set has so many recipients; it can live there, and is told how many points that passed. */
const killAt = (
  database: Database,
  recipients: number,
  points: (live: (life: string) => Promise<number>) => Promise<ReadonlyArray<Failpoint>>
): Promise<void> =>
  inFolder(database, async (environment) => {
    // A process takes longer to start than to live a gift: the next one starts meanwhile.
    let next = startChild(environment)
    const another = (): Promise<Child> => {
      const child = next
      next = startChild(environment)
      return child
    }
    let child = await another()
    const address = (await child.tell({ do: "make", recipients })) as Address
    const stopped: Array<Failpoint> = []
    const at = await points(async (life) => {
      const whole = { life, point: 0 }
      return Number(await child.tell(living(address, stopped.push(whole) - 1, whole, false)))
    })
    /** Lives it once more, stopped at its point; whether the point was passed. */
    const isPassed = async (each: Failpoint): Promise<boolean> => {
      const n = stopped.push(each) - 1
      const how = await child.tell(living(address, n, each, true))
      if (how === "killed") child = await another()
      await child.tell(living(address, n, each, false))
      return how === "killed"
    }
    const missed: Array<string> = []
    for (const each of at) {
      let isMissed = true
      for (let life = 0; isMissed && life < livesOf(each); life += 1) isMissed = !(await isPassed(each))
      if (isMissed && !comparesAll(each)) missed.push(`${each.life}: ${each.point}`)
    }
    if (missed.length > missable(at.length)) assert.deepStrictEqual(missed, [], "were not reached")
    const gifts = stopped.map(({ life }, n) => [n, life] as const)
    const report = (await child.tell({ do: "report", address, gifts })) as Report
    await Promise.all([child.end(), next.then((unused) => unused.end())])
    await assertLived(environment, report, stopped, "alone")
  })

/**
 * The same with another process that lives the same gift at the same moment and goes on: whichever of the two does what, and
 * whether or not the first gets as far as to be killed.
 */
export const killBeside = (database: Database, at: ReadonlyArray<Failpoint>): Promise<void> =>
  inFolder(database, async (environment) => {
    const sideBySide = at.filter(({ life }) => lifeOf(life).isAlone !== true)
    const survivor = await startChild(environment)
    const address = (await survivor.tell({ do: "make", recipients: 1 })) as Address
    let child = await startChild(environment)
    for (const [n, each] of sideBySide.entries()) {
      const [how] = await Promise.all([
        child.tell(living(address, n, each, true)),
        survivor.tell(living(address, n, each, false))
      ])
      if (how === "killed") child = await startChild(environment)
      // What the dead one had taken upon itself is done by the other.
      await survivor.tell(living(address, n, each, false))
    }
    const gifts = sideBySide.map(({ life }, n) => [n, life] as const)
    const report = (await survivor.tell({ do: "report", address, gifts })) as Report
    await Promise.all([child.end(), survivor.end()])
    await assertLived(environment, report, sideBySide, "beside")
  })
