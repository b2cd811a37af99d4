import type { Beside } from "./Answer.ts"
import { type Attempt, attemptOf } from "./Attempt.ts"
import type { Endpoint, GroupName, Ids, OperationName, Payload, Query, Success } from "./Declared.ts"
import type { Failure } from "./Failure.ts"
import { operations } from "./Operations.ts"
import { type ListQuery, queryText } from "./Query.ts"
import { type Call, send } from "./Send.ts"
import { type CallOptions, type ClientOptions, type Settings, settingsOf, type WriteOptions } from "./Settings.ts"

type ItemOf<A> = A extends { readonly data: ReadonlyArray<infer Item>; readonly has_more: boolean } ? Item : never

type Input<E> = [Payload<E>] extends [never]
  ? [Query<E>] extends [never]
    ? []
    : [query?: ListQuery<Query<E>>]
  : [body: Payload<E>]

type OptionsOf<E> = E extends { readonly method: "POST" | "PATCH" } ? WriteOptions : CallOptions

/** A call: path ids first, then body or query, then options. */
type Perform<E> = (
  ...args: [...ids: Ids<E>, ...input: Input<E>, options?: OptionsOf<E>]
) => Attempt<Success<E>, Failure, Beside>

/** All records of a list, page after page; each page is fetched when it is reached. Throws the failure of the list. */
type All<E> = (
  ...args: [...ids: Ids<E>, ...input: Input<E>, options?: CallOptions]
) => AsyncGenerator<ItemOf<Success<E>>, void, void>

type Group<G extends GroupName> = {
  readonly [N in OperationName<G>]: Perform<Endpoint<G, N>>
} & {
  readonly [N in OperationName<G> as N extends `list${infer Rest}` ? `all${Rest}` : never]: All<Endpoint<G, N>>
}

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The operations of the API by group: `client.donors.create(…)`, `client.revenueCodes.list()`. */
export type Client = { readonly [G in GroupName as CamelCase<G>]: Group<G> }

type Arguments = ReadonlyArray<unknown>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** An id as a segment of a path. An empty id or `.` or `..` would name another path: `/donors/` is the list. */
const segmentOf = (id: unknown): string => {
  if (typeof id === "string" && id !== "" && id !== "." && id !== "..") return encodeURIComponent(id)
  throw new TypeError("An id must be a text that is not empty, and neither . nor .. alone.")
}

/** Reads the arguments of a call as its line of the table says. */
const callOf = (line: string, args: Arguments): Call => {
  const [method = "", template = "", takes] = line.split(" ")
  const rest = [...args]
  const path = template.replaceAll(/:\w+/g, () => segmentOf(rest.shift()))
  const input = takes === undefined ? undefined : rest.shift()
  return {
    method,
    path: takes === "query" ? path + queryText(recordOf(input)) : path,
    body: takes === "body" ? JSON.stringify(input) : undefined,
    options: recordOf(rest.shift())
  }
}

const performOf =
  (settings: Settings, line: string) =>
  (...args: Arguments) =>
    attemptOf(Promise.resolve().then(() => send(settings, callOf(line, args))))

const pageOf = (answer: unknown): { readonly records: ReadonlyArray<unknown>; readonly hasMore: boolean } => {
  const { data, has_more } = recordOf(answer)
  return { records: Array.isArray(data) ? data : [], hasMore: has_more === true }
}

async function* allOf(settings: Settings, line: string, args: Arguments): AsyncGenerator<unknown, void, void> {
  const list = performOf(settings, line)
  const [, template = "", takes] = line.split(" ")
  const places = template.split(":").length - 1
  const [ids, rest] = [args.slice(0, places), args.slice(places)]
  // A list without a query has all its records on one page.
  if (takes === undefined) {
    yield* pageOf(await list(...ids, ...rest)).records
    return
  }
  let from = recordOf(rest[0])
  for (;;) {
    const { hasMore, records } = pageOf(await list(...ids, from, ...rest.slice(1)))
    yield* records
    if (!hasMore || records.length === 0) return
    from = { ...from, starting_after: recordOf(records.at(-1))["id"] }
  }
}

const groupOf = (settings: Settings, lines: Readonly<Record<string, string>>) => {
  const group: Record<string, (...args: Arguments) => unknown> = {}
  for (const [name, line] of Object.entries(lines)) {
    group[name] = performOf(settings, line)
    if (name.startsWith("list")) group[name.replace("list", "all")] = (...args) => allOf(settings, line, args)
  }
  return group
}

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * A client of the service. A call is a promise of the answer's value that rejects with an `AlmonerError` or a
 * `ConnectionError`; its `outcome()` gives either as a value. POST and PATCH carry an Idempotency-Key, and calls are
 * repeated as the contract's retry policy says (service-spec, Errors).
 */
export const createClient = (options: ClientOptions): Client => {
  const settings = settingsOf(options)
  const groups: Record<string, ReturnType<typeof groupOf>> = {}
  for (const [name, lines] of Object.entries(operations)) groups[camelCase(name)] = groupOf(settings, lines)
  // The table is complete and right by its type, so the client made from it has every operation.
  return groups as Client
}
