import { setTimeout as sleep } from "node:timers/promises"
import fc from "fast-check"
import { afterAll, assert, beforeAll, chai } from "vitest"

/** The values of the globals. What is loaded when it is first asked for has none until then, and packages add their own. */
const globals = (): ReadonlyMap<PropertyKey, unknown> =>
  new Map(
    Reflect.ownKeys(globalThis).flatMap((key) => {
      const property = Reflect.getOwnPropertyDescriptor(globalThis, key)
      return property !== undefined && "value" in property ? [[key, property.value] as const] : []
    })
  )

const variables = (): ReadonlyMap<PropertyKey, unknown> => new Map(Object.entries(process.env))

/** Further state of the process that can be seen from outside. */
const ofProcess = () => ({
  cwd: process.cwd(),
  listeners: process.eventNames().map((name) => `${String(name)}: ${process.listenerCount(name)}`),
  stackTraceLimit: Error.stackTraceLimit,
  fastCheck: fc.readConfigureGlobal() ?? {}
})

// Proxies tell of names that no assertion has, as the compiler does; each assertion would make several.
chai.config.useProxy = false

const held = new Set(["TCPServerWrap", "PipeServerWrap", "ProcessWrap"])

/** Servers that listen, and processes that were started and run. */
const open = (): ReadonlyArray<string> =>
  process
    .getActiveResourcesInfo()
    .filter((name) => held.has(name))
    .toSorted()

/** How often to look whether what is being closed is closed. */
const looks = 100

const openAfter = async (before: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  for (let look = 0; look < looks && open().length > before.length; look++) await sleep(50)
  return open()
}

/** By name alone: what a variable holds may be a secret. */
const changed = (
  was: ReadonlyMap<PropertyKey, unknown>,
  is: ReadonlyMap<PropertyKey, unknown>
): ReadonlyArray<string> => [...was].flatMap(([key, value]) => (Object.is(is.get(key), value) ? [] : [String(key)]))

let before: ReturnType<typeof ofProcess>
let globalsBefore: ReadonlyMap<PropertyKey, unknown>
let variablesBefore: ReadonlyMap<PropertyKey, unknown>
let openBefore: ReadonlyArray<string>

beforeAll(() => {
  before = ofProcess()
  globalsBefore = globals()
  variablesBefore = variables()
  openBefore = open()
})

// The first hook of a file is the last to end: what the file closes is closed by then.
afterAll(async () => {
  assert.deepStrictEqual(ofProcess(), before, "this file changed the process that it shares")
  assert.deepStrictEqual(
    changed(globalsBefore, globals()),
    [],
    "this file changed globals of the process that it shares"
  )
  const now = variables()
  const touched = [...changed(variablesBefore, now), ...changed(now, variablesBefore)]
  assert.deepStrictEqual(touched, [], "this file changed the environment of the process that it shares")
  const stayed = await openAfter(openBefore)
  assert.isAtMost(stayed.length, openBefore.length, `this file left open: ${stayed.join(", ")}`)
})
