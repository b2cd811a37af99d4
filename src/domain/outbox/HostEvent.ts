import { Predicate, Result, Schema } from "effect"
import type { HostEventType } from "../kernel/HostEventType.ts"
import { isLongerThan, noLongerThan } from "../kernel/Length.ts"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput, MalformedInput } from "../kernel/Rejection.ts"
import { isStorable } from "../kernel/Text.ts"
import { EventJson, type HostEventData } from "./Event.ts"
import { subjectFields } from "./EventConsumer.ts"

const form = /^x(?:\.[a-z][a-z0-9_]*)+$/

/** The form of such a type, as the end of a sentence. */
export const hostEventTypeForm = `x. and lower-case segments with dots between them, such as x.pledge.signed, at most ${Limits.hostEventTypeCharacters} characters`

/**
 * Whether a text has the form of a type that a host may declare.
 * @example
 * HostEvent.isHostEventType("x.pledge.signed") // => true
 * HostEvent.isHostEventType("pledge.signed") // => false
 */
export const isHostEventType = (name: string): name is HostEventType =>
  name.length <= Limits.hostEventTypeCharacters && form.test(name)

const meanings = { type: "A type that the host declares.", data: "What happened, as the schema of the type takes it." }

/** An event of a host: one of its types with its data. */
export const HostEmission = Schema.Struct({
  type: Schema.String.check(
    noLongerThan(Limits.hostEventTypeCharacters, hostEventTypeForm),
    Schema.isPattern(form, { expected: hostEventTypeForm })
  ),
  data: EventJson
}).annotate({ identifier: "HostEmission", meanings })
export type HostEmission = typeof HostEmission.Type

type Read<A> = Result.Result<A, InvalidInput>

const refused = (param: string, message: string): Result.Result<never, InvalidInput> =>
  Result.fail(new InvalidInput({ param, message }))

const tooLarge = () =>
  refused("data", `data must be at most ${Limits.hostEventBytes.toLocaleString("en")} bytes as JSON.`)

/** Counts what was read, so that no value is read further than its bytes could be kept. */
interface Budget {
  left: number
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!Predicate.isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOf = (param: string, key: string | number): string =>
  Predicate.isNumber(key) ? `${param}[${key}]` : `${param}.${key}`

const readText = (text: string, param: string, budget: Budget): Read<string> => {
  budget.left -= text.length
  return isStorable(text)
    ? Result.succeed(text)
    : refused(param, `${param} must be text without U+0000 and without unpaired surrogates.`)
}

const readList = (list: ReadonlyArray<unknown>, param: string, depth: number, budget: Budget): Read<unknown> => {
  const copy: Array<unknown> = []
  for (const [index, each] of list.entries()) {
    const read = readValue(each, nameOf(param, index), depth, budget)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    copy.push(read.success)
  }
  return Result.succeed(copy)
}

const readObject = (
  given: Readonly<Record<string, unknown>>,
  param: string,
  depth: number,
  budget: Budget
): Read<HostEventData> => {
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, each] of Object.entries(given)) {
    // A field that is undefined is left out.
    if (each === undefined) continue
    if (!isStorable(name))
      return refused(param, `${param} must have names without U+0000 and without unpaired surrogates.`)
    budget.left -= name.length
    const read = readValue(each, nameOf(param, name), depth, budget)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    entries.push([name, read.success])
  }
  return Result.succeed(Object.fromEntries(entries))
}

const readValue = (value: unknown, param: string, depth: number, budget: Budget): Read<unknown> => {
  budget.left -= 1
  if (budget.left < 0) return tooLarge()
  if (value === null || Predicate.isBoolean(value)) return Result.succeed(value)
  if (Predicate.isString(value)) return readText(value, param, budget)
  if (Predicate.isNumber(value)) {
    return Number.isFinite(value) ? Result.succeed(value) : refused(param, `${param} must be a finite number.`)
  }
  if (depth >= Limits.hostEventDepth && (Array.isArray(value) || isPlain(value))) {
    return refused("data", `data must nest lists and objects at most ${Limits.hostEventDepth} levels deep.`)
  }
  if (Array.isArray(value)) return readList(value, param, depth + 1, budget)
  if (isPlain(value)) return readObject(value, param, depth + 1, budget)
  return refused(param, `${param} must be JSON: text, a finite number, true, false, null, a list or a plain object.`)
}

/** Text that tells the record that an event is about is looked up by: it must not be longer than an id can be. */
const readSubject = (data: HostEventData): Read<HostEventData> => {
  for (const field of subjectFields) {
    const subject = data[field]
    if (Predicate.isString(subject) && isLongerThan(Limits.identifierCharacters, subject)) {
      const param = nameOf("data", field)
      return refused(
        param,
        `${param} must be at most ${Limits.identifierCharacters} characters: it tells what the event is about.`
      )
    }
  }
  return Result.succeed(data)
}

const readData = (value: unknown): Read<HostEventData> => {
  if (!isPlain(value)) return refused("data", "data must be a plain object.")
  return Result.flatMap(readObject(value, "data", 1, { left: Limits.hostEventBytes }), (data) =>
    new TextEncoder().encode(JSON.stringify(data)).length > Limits.hostEventBytes ? tooLarge() : readSubject(data)
  )
}

const unreadable = () => new MalformedInput({ message: "data cannot be read: reading one of its fields fails." })

/**
 * The data of an event as a copy that is JSON, or the refusal: {@link InvalidInput} with the `param` at fault, and
 * {@link MalformedInput} where reading it throws.
 * @example
 * Result.isSuccess(HostEvent.jsonDataOf({ id: "pledge-1" })) // => true
 * Result.isFailure(HostEvent.jsonDataOf({ id: "pledge-1", cents: Number.NaN })) // => true
 */
export const jsonDataOf = (value: unknown): Result.Result<HostEventData, InvalidInput | MalformedInput> =>
  Result.flatMap(Result.try({ try: () => readData(value), catch: unreadable }), (read) => read)
