import type { Beside } from "./Answer.ts"
import { type Attempt, attemptOf } from "./Attempt.ts"
import type { Failure } from "./Failure.ts"
import type { Calls } from "./generated/Calls.ts"
import type { TypedCalls } from "./HostEvents.ts"
import { jsonText } from "./JsonText.ts"
import { operations } from "./Operations.ts"
import { type Call, send } from "./Send.ts"
import { type ClientOptions, changedOptions, type Settings, settingsOf, type WriteOptions } from "./Settings.ts"

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

/** The values of a list as one text. None may have a comma: the service would read it as two. */
const joined = (name: string, values: ReadonlyArray<unknown>): string => {
  const texts = values.map(textOf)
  if (texts.some((text) => text.includes(","))) throw new TypeError(`${name} takes no value that has a comma.`)
  return texts.join(",")
}

const isOperators = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !(value instanceof Date)

const pairsOf = (name: string, value: unknown): Array<[string, string]> => {
  if (value === undefined) return []
  if (Array.isArray(value)) return [[name, joined(name, value)]]
  return isOperators(value)
    ? Object.entries(value).flatMap(([operator, operand]) => pairsOf(`${name}[${operator}]`, operand))
    : [[name, textOf(value)]]
}

/** A query as text with its question mark, empty without a parameter: `{ a: { gte: 1 } }` is `?a[gte]=1`. */
const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

/** The options of a call that the client has no method for. */
export interface RequestOptions extends WriteOptions {
  readonly body?: unknown
  /** Parameters of the address; a filter is a value, or operators with their values. */
  readonly query?: object | undefined
}

/**
 * A client of the service, with the operations of the API by group: `client.donors.create(…)`,
 * `client.revenueCodes.list()`. `Events` are the event types that a host of the service declares, by their schemas.
 */
export interface Client<Events = unknown> extends Omit<Calls, "events"> {
  /** Events, with the types that the host declares. Other types of a host's are answered as well. */
  readonly events: TypedCalls<Calls["events"], Events>
  /** A client with other options over those of this one; its headers are added to those of this one. */
  readonly withOptions: (options: Partial<ClientOptions<Events>>) => Client<Events>
  /**
   * Calls what the client has no method for, with the same key, retries and failures. `path` begins with a slash, and
   * is the whole path: `/api/v1/donors`. The answer must be JSON, and its type is the caller's to know.
   */
  readonly request: <A = unknown>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    options?: RequestOptions | undefined
  ) => Attempt<A, Failure, Beside>
}

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
  const path = `/api/v1${template.replaceAll(/:\w+/g, () => segmentOf(rest.shift()))}`
  const input = takes === undefined ? undefined : rest.shift()
  return {
    method,
    path: takes === "query" ? path + queryText(recordOf(input)) : path,
    body: takes === "body" && input !== undefined ? jsonText(input) : undefined,
    options: recordOf(rest.shift())
  }
}

const performOf =
  (settings: Settings, line: string) =>
  (...args: Arguments) =>
    attemptOf(Promise.resolve().then(() => send(settings, callOf(line, args))))

/** A path of the service. One without a slash would change the host that the key is sent to. */
const pathOf = (path: string): string => {
  if (typeof path === "string" && path.startsWith("/")) return path
  throw new TypeError("A path begins with a slash: /api/v1/donors")
}

const requestOf =
  (settings: Settings) =>
  (method: string, path: string, options: RequestOptions = {}) => {
    const { body, query, ...rest } = options
    return attemptOf(
      Promise.resolve().then(() => {
        const text = body === undefined ? undefined : jsonText(body)
        return send(settings, { method, path: pathOf(path) + queryText(recordOf(query)), body: text, options: rest })
      })
    )
  }

const pageOf = (answer: unknown): { readonly records: ReadonlyArray<unknown>; readonly hasMore: boolean } => {
  const { data, has_more } = recordOf(answer)
  return { records: Array.isArray(data) ? data : [], hasMore: has_more === true }
}

async function* allOf(settings: Settings, line: string, args: Arguments): AsyncGenerator<unknown, void, void> {
  const list = performOf(settings, line)
  const [, template = ""] = line.split(" ")
  const places = template.split(":").length - 1
  const [ids, rest] = [args.slice(0, places), args.slice(places)]
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
    const isPaged = name.startsWith("list") && line.endsWith(" query")
    if (isPaged) group[name.replace("list", "all")] = (...args) => allOf(settings, line, args)
  }
  return group
}

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * A client of the service. A call is a promise of the answer's value that rejects with an `AlmonerError` or a
 * `ConnectionError`; its `outcome()` gives either as a value. POST and PATCH carry an Idempotency-Key, and calls are
 * repeated as the contract's retry policy says (service-spec, Errors). Throws a `TypeError` where `baseUrl` is no URL,
 * `apiKey` no key, or a number none.
 */
export const createClient = <Events = unknown>(options: ClientOptions<Events>): Client<Events> => {
  const settings = settingsOf(options)
  const groups: Record<string, ReturnType<typeof groupOf>> = {}
  for (const [name, lines] of Object.entries(operations)) groups[camelCase(name)] = groupOf(settings, lines)
  const tools = {
    withOptions: (changes: Partial<ClientOptions<Events>>) => createClient(changedOptions(options, changes)),
    request: requestOf(settings)
  }
  // The table is complete and right by its type, so the client made from it has every operation.
  return { ...groups, ...tools } as unknown as Client<Events>
}
