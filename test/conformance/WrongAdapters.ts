import { Context, DateTime, Duration, Effect, Layer, Option, Predicate } from "effect"
import { Memory } from "../../src/adapters/memory/Memory.ts"
import { Transaction } from "../../src/ports/kernel/Transaction.ts"
import { noLimit } from "../../src/testing/conformance/Suite.ts"

/** A member of a port that is changed in one way. */
export interface Wrong {
  readonly member: string
  /** What is changed, such as `argument 2 · ½`. */
  readonly change: string
}

/** An answer that is taken out of a transaction that does not commit. */
class Undone {
  readonly answer: unknown

  constructor(answer: unknown) {
    this.answer = answer
  }
}

type Call = (...args: ReadonlyArray<unknown>) => unknown

/** Makes a member that is wrong of the right one, for an adapter that was just made. */
export type Break = (good: Call, within: Within) => Call

/** What a wrong adapter is made with. */
interface Within {
  /** Undoes all that the effect wrote, and answers what it answered. */
  readonly undone: (effect: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
}

/** A change of a value: none of those that it does not mean. */
type Change = readonly [name: string, change: (value: unknown) => unknown]

/**
 * Such numbers are milliseconds, and greater than any limit: one more or less of them is nothing that a clock shows. {@link noLimit}
 * is a limit all the same.
 */
const isLong = (value: unknown): value is number => typeof value === "number" && value > 1_000 && value !== noLimit

const numbers: ReadonlyArray<Change> = [1, -1].map((by) => [
  by > 0 ? "+1" : "−1",
  (value) => {
    if (typeof value === "number") return value > 1_000 ? value : value + by
    return typeof value === "bigint" ? value + BigInt(by) : value
  }
])

/** An instant that is given is a bound; one that is answered belongs to a record, or is the present. */
const instants: ReadonlyArray<Change> = [1, -1].map((by) => [
  by > 0 ? "+1 ms" : "−1 ms",
  (value) => (DateTime.isDateTime(value) ? DateTime.add(value, { milliseconds: by }) : value)
])

const durations: ReadonlyArray<Change> = [0.5, 10].map((factor) => [
  factor < 1 ? "×½" : "×10",
  (value) => {
    if (isLong(value)) return value * factor
    return Duration.isDuration(value) ? Duration.millis(Duration.toMillis(value) * factor) : value
  }
])

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** A record is written and read as a whole, which is what its own checks are about. */
const isRecord = (value: unknown): boolean => isPlain(value) && ("id" in value || "created_at" in value)

/** What nothing is of a value of this kind. */
const nothing = (value: unknown): unknown => {
  if (Option.isOption(value)) return Option.none()
  if (Array.isArray(value)) return []
  if (value instanceof Set) return new Set()
  if (value instanceof Map) return new Map()
  if (typeof value === "string") return ""
  if (typeof value === "number") return 0
  if (typeof value === "bigint") return 0n
  if (typeof value === "boolean") return false
  if (Duration.isDuration(value)) return Duration.zero
  if (DateTime.isDateTime(value)) return DateTime.makeUnsafe(0)
  if (Effect.isEffect(value)) return Effect.void
  return isPlain(value) && "has_more" in value ? { ...value, data: [], has_more: false } : value
}

const constants: ReadonlyArray<Change> = [
  ["nothing", nothing],
  ["yes", (value) => (typeof value === "boolean" ? true : value)],
  ["without the last", (value) => (Array.isArray(value) ? value.slice(0, -1) : value)]
]

const invented = "is invented"

/** What becomes of one field of a record that is answered. */
const fieldChanges: ReadonlyArray<Change> = [
  ["is 1 more", (value) => (typeof value === "number" ? value + 1 : typeof value === "bigint" ? value + 1n : value)],
  ["is another text", (value) => (typeof value === "string" ? `${value}x` : value)],
  ["is 1 ms later", (value) => (DateTime.isDateTime(value) ? DateTime.add(value, { milliseconds: 1 }) : value)],
  ["is negated", (value) => (typeof value === "boolean" ? !value : value)],
  ["is null", (value) => (isPlain(value) ? null : value)],
  [invented, (value) => value ?? "invented"],
  ["is without the last", (value) => (Array.isArray(value) && value.length > 0 ? value.slice(0, -1) : value)],
  ["has the last twice", (value) => (Array.isArray(value) && value.length > 0 ? [...value, value.at(-1)] : value)]
]

/** It says nothing already: a wrong adapter that never says more is to be caught all the same. */
const isBare = (value: unknown): boolean =>
  typeof value === "boolean" || (Option.isOption(value) && Option.isNone(value))

/** The changes of a value itself, and of what it holds: in an option, in the fields of what is no record, in a list. */
const within = (changes: ReadonlyArray<Change>, depth: number, value: unknown): ReadonlyArray<Change> => {
  const own = changes.filter(([name, change]) => change(value) !== value || (name === "nothing" && isBare(value)))
  if (depth === 0) return own
  if (Option.isOption(value) && Option.isSome(value)) {
    return [...own, ...within(changes, depth, value.value).map(([name, change]): Change => [name, mapped(change)])]
  }
  if (Array.isArray(value)) {
    // What each row says is read with it: numbers alone are counted by the store.
    const counted = changes.filter((each) => !constants.includes(each))
    const inner = within(counted, depth - 1, value.find((each) => isPlain(each)) ?? value[0])
    return [...own, ...inner.map(([name, change]): Change => [`each ${name}`, mapped(change)])]
  }
  if (!isPlain(value) || isRecord(value)) return own
  return [
    ...own,
    ...Object.entries(value).flatMap(([field, each]) =>
      within(changes, depth - 1, each).map(([name, change]): Change => [`${field} ${name}`, fieldOf(field, change)])
    )
  ]
}

/** The changes of the fields of records, wherever a value holds some, and of what those hold. */
const ofRecords = (value: unknown, isPart = false): ReadonlyArray<Change> => {
  if (Option.isOption(value)) {
    return ofRecords(Option.getOrNull(value), isPart).map(([name, change]): Change => [name, mapped(change)])
  }
  if (Array.isArray(value)) {
    return ofRecords(value.find(isPlain), isPart).map(([name, change]): Change => [`each ${name}`, mapped(change)])
  }
  if (!isPlain(value)) return []
  const isWhole = isPart || isRecord(value)
  return Object.entries(value).flatMap(([field, each]) => {
    const own = isWhole ? fieldChanges.filter(([, change]) => change(each) !== each) : []
    return [...own, ...ofRecords(each, isWhole)].map(
      ([name, change]): Change => [`${field} ${name}`, fieldOf(field, change)]
    )
  })
}

const mapped =
  (change: (value: unknown) => unknown) =>
  (value: unknown): unknown => {
    if (Option.isOption(value)) return Option.map(value, change)
    return Array.isArray(value) ? value.map(change) : value
  }

const fieldOf =
  (field: string, change: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    isPlain(value) && field in value ? { ...value, [field]: change(value[field]) } : value

const answered =
  (change: (value: unknown) => unknown): Break =>
  (good) =>
  (...args) => {
    const answer = good(...args)
    return Effect.isEffect(answer) ? Effect.map(answer, change) : change(answer)
  }

const given =
  (index: number, change: (value: unknown) => unknown): Break =>
  (good) =>
  (...args) =>
    good(...args.map((each, at) => (at === index ? change(each) : each)))

/** Whatever is given, what was given first is taken for it. */
const fixed = (index: number, field?: string): Break => {
  return (good) => {
    const first: Array<unknown> = []
    const fix = (value: unknown) => {
      if (first.length === 0) first.push(value)
      return first[0]
    }
    return given(index, field === undefined ? fix : fieldOf(field, fix))(good, { undone: (effect) => effect })
  }
}

const unwritten: Break =
  (good, { undone }) =>
  (...args) => {
    const answer = good(...args)
    return Effect.isEffect(answer) ? undone(answer as Effect.Effect<unknown, unknown>) : answer
  }

const idle: Break = () => () => Effect.void

/** What was seen of the members of a port while its suite ran over the right adapter. */
export interface Observation {
  /** The changes that a member's calls admit. */
  readonly members: Map<string, Map<string, Break>>
  /** The members that this check called, and how often in all. */
  readonly calls: Map<string, Map<string, number>>
}

/** Whether anything is asked by this field. What a query has `sent` is echoed, and asks for nothing. */
const isSaid = (value: unknown, field: string): boolean => {
  const said: unknown = isPlain(value) && field !== "sent" ? value[field] : null
  if (said === null || said === undefined || said === false) return false
  return typeof said !== "object" || Object.keys(said).length > 0
}

const changesOf = (args: ReadonlyArray<unknown>): ReadonlyArray<readonly [string, Break]> =>
  args.flatMap((value, index) => {
    const argument = `argument ${index + 1}`
    const changed = within([...numbers, ...instants, ...durations], 1, value)
    const fields = isPlain(value) && !isRecord(value) ? Object.keys(value) : []
    return [
      [`${argument} fixed`, fixed(index)] as const,
      ...(fields.length > 1 ? fields.filter((field) => isSaid(value, field)) : []).map(
        (field) => [`${argument} ${field} fixed`, fixed(index, field)] as const
      ),
      ...changed.map(([name, change]) => [`${argument} ${name}`, given(index, change)] as const)
    ]
  })

const changesOfAnswer = (answer: unknown): ReadonlyArray<readonly [string, Break]> =>
  answer === undefined
    ? [["nothing done", idle]]
    : [...within([...constants, ...numbers, ...durations], 2, answer), ...ofRecords(answer)].map(([name, change]) => [
        `answer ${name}`,
        answered(change)
      ])

/** The changes without those that invent a field which has a value at other times, and is changed then. */
export const withoutRepeated = (changes: ReadonlyMap<string, Break>): ReadonlyArray<readonly [string, Break]> =>
  [...changes].filter(([name]) => {
    const field = name.endsWith(invented) ? name.slice(0, -invented.length) : null
    return field === null || [...changes.keys()].every((other) => other === name || !other.startsWith(field))
  })

/** The adapter as it is, with every member replaced by what `replace` makes of it. */
const replaced = (service: object, replace: (member: string, call: Call) => Call | null): object => {
  const members = Object.entries(service).map(([member, value]) => {
    const isCall = typeof value === "function"
    if (!isCall && !Effect.isEffect(value)) return [member, value]
    const made = replace(member, isCall ? (value as Call) : () => value)
    if (made === null) return [member, value]
    return [member, isCall ? made : Effect.suspend(() => made() as Effect.Effect<unknown>)]
  })
  return Object.fromEntries(members)
}

/** A port whose adapter is changed, over whatever adapter is there. */
export type Swap = Layer.Layer<unknown, never, unknown>

const changed = (
  port: Context.Service<unknown, object>,
  change: (good: object, context: Context.Context<never>) => object
) =>
  Layer.effect(
    port,
    Effect.contextWith((context: Context.Context<never>) => Effect.map(port, (good) => change(good, context)))
  ) as Swap

const Open = Context.Reference<unknown>("almoner/adapters/memory/Open", { defaultValue: () => null })

/** As somebody reads who is in no transaction, and waits for none. */
const outside = <A>(effect: Effect.Effect<A>): Effect.Effect<A> => Effect.provideService(effect, Open, null)

/** The port with what its suite asks of it observe. `check` names the check that runs. */
export const observe = (port: Context.Service<unknown, object>, check: () => string, seen: Observation): Swap => {
  let running = 0
  return changed(port, (service, context) => {
    const memory = Option.getOrNull(Context.getOption(context, Memory))
    const note = (member: string, changes: ReadonlyArray<readonly [string, Break]>) => {
      const known = seen.members.get(member) ?? new Map<string, Break>()
      seen.members.set(member, known)
      for (const [name, change] of changes) if (!known.has(name)) known.set(name, change)
    }
    return replaced(service, (member, call) => {
      note(member, [])
      return (...args) => {
        const calls = seen.calls.get(check()) ?? new Map<string, number>()
        seen.calls.set(check(), calls)
        calls.set(member, (calls.get(member) ?? 0) + 1)
        // Who maps a list with a member hands it more than it takes.
        note(member, changesOf(call.length === 0 ? args : args.slice(0, call.length)))
        const answer = call(...args)
        if (!Effect.isEffect(answer)) {
          note(member, changesOfAnswer(answer))
          return answer
        }
        const state = memory === null ? Effect.succeed(null) : outside(memory.read((each) => each))
        return Effect.gen(function* () {
          running++
          const isInTransaction = (yield* Open) !== null
          const before = yield* state
          const value = yield* answer as Effect.Effect<unknown, unknown>
          const isAlone = running === 1 && !isInTransaction
          const after = yield* state
          note(member, changesOfAnswer(value))
          if (isAlone && before !== after && value !== undefined) note(member, [["nothing written", unwritten]])
          return value
        }).pipe(Effect.ensuring(Effect.sync(() => running--)))
      }
    })
  })
}

/** The port with one member that is wrong. It dies once it was called more often than any right one is. */
export const wrong = (
  port: Context.Service<unknown, object>,
  member: string,
  change: Break,
  isEndless: () => boolean
): Swap =>
  changed(port, (service, context) => {
    const transaction = Option.getOrNull(Context.getOption(context, Transaction))
    const undone: Within["undone"] = (effect) =>
      transaction === null
        ? effect
        : Effect.catch(
            transaction.run(Effect.flatMap(effect, (answer) => Effect.fail(new Undone(answer)))),
            (failure) => (failure instanceof Undone ? Effect.succeed(failure.answer) : Effect.fail(failure))
          )
    return replaced(service, (name, call) => {
      const made = name === member ? change(call, { undone }) : call
      return (...args) => {
        if (isEndless()) throw new Error("A check of a wrong adapter goes on and on.")
        return made(...args)
      }
    })
  })
