import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { accessLog } from "../../src/adapters/cli/AccessLines.ts"
import { type Access, summaryOf } from "../../src/adapters/http/server/AccessLog.ts"
import { forEvery } from "../support/Property.ts"
import { printedBy, settingsOf } from "./PrintedLog.ts"

const line: Access = {
  method: "GET",
  route: "/api/v1/donors/:id",
  status: 200,
  ms: 3.1,
  request_id: "req_1",
  organisation_id: "org_1"
}

/** A log with these settings, for as long as `run` takes: what it wrote, each time. */
const withLog = (
  environment: Readonly<Record<string, string>>,
  run: (log: (access: Access) => void) => Promise<void>
): Promise<ReadonlyArray<string>> => {
  const written: Array<string> = []
  const logged = Effect.gen(function* () {
    const write = yield* accessLog(settingsOf(environment), summaryOf, (text) => void written.push(text))
    assert(write !== undefined)
    yield* Effect.promise(() => run((access) => Effect.runSync(write(access))))
    return written
  })
  return Effect.runPromise(Effect.scoped(logged))
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe("the line of a request", () => {
  it("is one text for people, in the form of the log's other lines", async () => {
    const [text = ""] = await withLog({}, async (log) => log(line))
    const form = /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] INFO( \(#\d+\))?: (.*)$/
    assert.strictEqual(form.exec(text.trimEnd())?.[2], "GET /api/v1/donors/:id 200 3.1 ms req_1 org_1")
    assert.strictEqual(form.exec(printedBy({}, Effect.logInfo("Other")))?.[2], "Other")
  })

  it("is fields for machines, under the names of the log's other lines", async () => {
    const json = { LOG_FORMAT: "json" }
    const [text = ""] = await withLog(json, async (log) => log(line))
    const { timestamp, ...rest } = JSON.parse(text)
    assert.deepStrictEqual(rest, { message: "Request", level: "INFO", annotations: line })
    assert.strictEqual(new Date(timestamp).toISOString(), timestamp)
    const other = JSON.parse(printedBy(json, Effect.annotateLogs(Effect.logInfo("Request"), { ...line })))
    assert.deepInclude(other, rest)
  })

  it("is written once and in order, together with those of the same turn, at the end too", () => {
    const turns = fc.array(fc.array(fc.uuid(), { minLength: 1, maxLength: 5 }), { maxLength: 6 })
    const idsOf = (text: string) => [...text.matchAll(/ms (\S+) org_1\n/g)].map(([, id]) => id)
    const written = fc.asyncProperty(turns, turns, async (before, last) => {
      const texts = await withLog({}, async (log) => {
        for (const ids of before) {
          for (const request_id of ids) log({ ...line, request_id })
          await nextTurn()
        }
        for (const request_id of last.flat()) log({ ...line, request_id })
      })
      assert.deepStrictEqual(texts.map(idsOf), last.length === 0 ? before : [...before, last.flat()])
    })
    return fc.assert(written)
  })

  it("is not even made where it is turned off, or would not be logged", () => {
    const levels = ["All", "Trace", "Debug", "Info", "Warn", "Error", "Fatal", "None"]
    forEvery(
      fc.constantFrom(...levels),
      fc.constantFrom("on", "off"),
      fc.constantFrom("json", "pretty"),
      (LOG_LEVEL, ACCESS_LOG, LOG_FORMAT) => {
        const made = accessLog(settingsOf({ LOG_LEVEL, ACCESS_LOG, LOG_FORMAT }), summaryOf)
        const write = Effect.runSync(Effect.scoped(made))
        assert.strictEqual(write !== undefined, ACCESS_LOG === "on" && levels.indexOf(LOG_LEVEL) <= 3)
      }
    )
  })
})
