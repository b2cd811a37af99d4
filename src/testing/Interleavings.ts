import fc from "fast-check"
import type { Reservation } from "../domain/access/Idempotency.ts"
import { checkGiven } from "./Doors.ts"
import { runsOf } from "./Runs.ts"

/** How one request with a key ended. `Ran` is the one that ran the operation, and says what it answered. */
export type KeyedOutcome =
  | { readonly _tag: "Ran"; readonly answer: string }
  | { readonly _tag: "Replay"; readonly answer: string }
  | { readonly _tag: Exclude<Reservation["_tag"], "Run" | "Replay"> }

/**
 * Marks a point at which other requests may run in between, and at which this one may end for ever: then the promise
 * rejects.
 */
export type Pause = (label: string) => Promise<void>

/** An operation under one Idempotency-Key, new for every case. */
export interface KeyedSystem {
  /** One request. An error that `pause` rejects with must end the request as the loss of its process would. */
  readonly request: (body_hash: string, pause: Pause) => Promise<KeyedOutcome>
  /** How many effects of the operation have been committed. */
  readonly effects: () => Promise<number> | number
}

/** The laws of a key, in the words that a report uses. */
export const laws = {
  once: "a key has one effect at most, however its requests interleave and wherever they end",
  told: "a request that is told its operation ran is right",
  replay: "every replay repeats the answer of the run",
  bodies: "another body is never run nor answered with the first one's answer",
  free: "a key is free again once its requests have ended, and a retry is answered"
} as const

/** A law of keys that a system breaks. */
export class InterleavingBroken extends Error {
  readonly law: keyof typeof laws

  constructor(law: keyof typeof laws, detail: string) {
    super(detail)
    this.law = law
  }
}

class Ended extends Error {}

interface Attempt {
  readonly body_hash: string
  /** The pause at which the request ends for ever; null where it comes through. */
  readonly endsAt: number | null
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  body_hash: fc.oneof(
    { weight: 4, arbitrary: fc.constant("body") },
    { weight: 1, arbitrary: fc.constant("other body") }
  ),
  endsAt: fc.option(fc.nat({ max: 4 }), { freq: 2 })
})

const broken = (law: keyof typeof laws, detail: string): never => {
  throw new InterleavingBroken(law, detail)
}

const unpaused: Pause = () => Promise.resolve()

type Told = readonly [body_hash: string, outcome: KeyedOutcome]

const judge = (told: ReadonlyArray<Told>, effects: number): void => {
  if (effects > 1) broken("once", `${effects} effects.`)
  const runs = told.filter(([, { _tag }]) => _tag === "Ran")
  if (runs.length > effects) broken("told", `${runs.length} requests ran, with ${effects} effects.`)
  const answers = told.flatMap(([, outcome]) => ("answer" in outcome ? [outcome.answer] : []))
  if (new Set(answers).size > 1) broken("replay", `Answers: ${answers.join(", ")}.`)
  const bodies = new Set(told.flatMap(([body_hash, outcome]) => ("answer" in outcome ? [body_hash] : [])))
  if (bodies.size > 1) broken("bodies", "Requests with different bodies were answered as one.")
}

/** Retries what was not answered, when nothing else is running. */
const retried = async (system: KeyedSystem, told: ReadonlyArray<Told>): Promise<ReadonlyArray<Told>> => {
  const before = await system.effects()
  const all: Array<Told> = [...told]
  for (const body_hash of ["body", "other body", "body"]) {
    const outcome = await system.request(body_hash, unpaused)
    if (outcome._tag === "InFlight") broken("free", "A retry is still in flight.")
    if (outcome._tag === "Ran" && before > 0) broken("once", "A retry ran once more.")
    all.push([body_hash, outcome])
  }
  if ((await system.effects()) === 0) broken("free", "Nothing was left of the retries.")
  return all
}

const play = async (system: KeyedSystem, scheduler: fc.Scheduler, attempts: ReadonlyArray<Attempt>) => {
  const told: Array<Told> = []
  const requests = attempts.map(async ({ body_hash, endsAt }, index) => {
    let paused = 0
    const pause: Pause = async (label) => {
      await scheduler.schedule(Promise.resolve(), `request ${index + 1}, ${body_hash}: ${label}`)
      if (paused++ === endsAt) throw new Ended(`Request ${index + 1} ended at: ${label}`)
    }
    told.push([body_hash, await system.request(body_hash, pause)])
  })
  const settled = await scheduler.waitFor(Promise.allSettled(requests))
  for (const [index, each] of settled.entries()) {
    if (each.status === "rejected" && attempts[index]?.endsAt === null) throw each.reason
  }
  judge(told, await system.effects())
  judge(await retried(system, told), await system.effects())
}

/**
 * Checks that requests with one Idempotency-Key have one effect, in any order of their steps and wherever they end: two to
 * five requests of one or two bodies run at once, each of which may be lost at any of its pauses; then all are retried.
 * fast-check's scheduler draws the orders, and a failure is shrunk to the shortest. Works in any test runner.
 *
 * @throws InterleavingBroken with the law and the schedule that breaks it. service-spec, Limits: Idempotency rules.
 */
export const oneEffect = async (
  make: () => Promise<KeyedSystem> | KeyedSystem,
  options: { readonly runs?: number; readonly seed?: number } = {}
): Promise<void> => {
  checkGiven("Interleavings.oneEffect", { make })
  const attempts = fc.array(attempt, { minLength: 2, maxLength: 5 })
  const property = fc.asyncProperty(fc.scheduler(), attempts, async (scheduler, drawn) => {
    await play(await make(), scheduler, drawn)
  })
  const { seed } = options
  const outcome = await fc.check(property, { numRuns: runsOf(options, 200), ...(seed === undefined ? {} : { seed }) })
  if (!outcome.failed) return
  const { counterexample, errorInstance } = outcome
  if (!(errorInstance instanceof InterleavingBroken)) throw errorInstance
  throw new InterleavingBroken(
    errorInstance.law,
    `A key breaks a law: ${laws[errorInstance.law]}. ${errorInstance.message}\n\n${fc.stringify(counterexample)}\n\nSeed ${outcome.seed}.`
  )
}
