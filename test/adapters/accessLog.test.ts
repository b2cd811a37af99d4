import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import fc from "fast-check"
import * as Logging from "../../src/adapters/cli/Logging.ts"
import { settingsFrom } from "../../src/adapters/cli/Settings.ts"

const line = {
  method: "GET",
  route: "/api/v1/donors/:id",
  status: 200,
  ms: 3.1,
  request_id: "req_1",
  organisation_id: "org_1"
}

const writerOf = (environment: Readonly<Record<string, string>>) =>
  Logging.accessLog(Effect.runSync(settingsFrom(environment)))

/** What a writer leaves in a log of a server. */
const writtenBy = (write: ReturnType<typeof Logging.accessLog>) => {
  const lines: Array<{ readonly message: unknown; readonly annotations: Readonly<Record<string, unknown>> }> = []
  const logger = Logger.make<unknown, void>((entry) => {
    const { annotations, level, message } = Logger.formatStructured.log(entry)
    assert.strictEqual(level, "INFO")
    lines.push({ message, annotations })
  })
  const logged = write === undefined ? Effect.void : write(line)
  Effect.runSync(
    logged.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Info"))
  )
  return lines
}

describe("the line of a request", () => {
  it("is one text for people, and fields for machines", () => {
    const message = "GET /api/v1/donors/:id 200 3.1 ms req_1 org_1"
    assert.deepStrictEqual(writtenBy(writerOf({})), [{ message, annotations: {} }])
    assert.deepStrictEqual(writtenBy(writerOf({ LOG_FORMAT: "json" })), [{ message: "Request", annotations: line }])
  })

  it("is not even made where it is turned off, or would not be logged", () => {
    const levels = ["All", "Trace", "Debug", "Info", "Warn", "Error", "Fatal", "None"]
    fc.assert(
      fc.property(
        fc.constantFrom(...levels),
        fc.constantFrom("on", "off"),
        fc.constantFrom("json", "pretty"),
        (LOG_LEVEL, ACCESS_LOG, LOG_FORMAT) => {
          const write = writerOf({ LOG_LEVEL, ACCESS_LOG, LOG_FORMAT })
          assert.strictEqual(write !== undefined, ACCESS_LOG === "on" && levels.indexOf(LOG_LEVEL) <= 3)
        }
      )
    )
  })
})
