import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"
import { loggedCause } from "../../src/ports/kernel/LoggedCause.ts"
import { printedBy } from "./PrintedLog.ts"

const refusal = (code: string, message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error(message), { code, severity: "ERROR" }),
      message: "Query failed"
    })
  })

/** What is logged, and what its line ends with. */
const told: ReadonlyArray<readonly [error: unknown, told: RegExp]> = [
  [refusal("53100", "could not extend file"), /It broke: SqlError: its disk is full \(53100\)\. Make room [^\n]+\.$/],
  [
    refusal("42501", "permission denied for table donors"),
    /a right: permission denied for table donors \(42501\)\. Give /
  ],
  [
    refusal("23502", "null value in column"),
    /It broke: SqlError: Query failed: SQLSTATE 23502: null value in column at /
  ],
  [
    new TypeError("it is\nnone", { cause: new Error("the\n  store") }),
    /It broke: TypeError: it is none: the store at .*logging\.test\.ts:\d+:\d+\)?$/
  ]
]

describe("an error in the log", () => {
  it.each(told)("is one line with its cause and a date: %s", (error, ending) => {
    for (const cause of [Cause.die(error), loggedCause(Cause.die(error))]) {
      const failure = Effect.logError("It broke", cause)
      assert.match(printedBy({}, failure), /^\[\d{4}-\d\d-\d\dT\S+Z\] ERROR: [^\n]+$/)
      assert.match(printedBy({}, failure), ending)
      const { cause: why, message, timestamp } = JSON.parse(printedBy({ LOG_FORMAT: "json" }, failure))
      assert.match(`${message}: ${why}`, ending)
      assert.strictEqual(new Date(timestamp).toISOString(), timestamp)
    }
  })

  it("has its annotations in the same line", () => {
    const failure = Effect.annotateLogs(Effect.logError("It broke", Cause.die(new Error("why"))), {
      request_id: "req_1"
    })
    assert.match(printedBy({}, failure), /^\[\S+Z\] ERROR: It broke: Error: why [^\n]+ request_id=req_1$/)
  })

  it("has its stack where details are asked for", () => {
    const failure = Effect.logError("It broke", Cause.die(new TypeError("it is none")))
    for (const LOG_FORMAT of ["pretty", "json"]) {
      const text = printedBy({ LOG_LEVEL: "debug", LOG_FORMAT }, failure)
      assert.isAbove(text.match(/(?:\n|\\n)\s+at /g)?.length ?? 0, 1, text)
    }
  })
})
