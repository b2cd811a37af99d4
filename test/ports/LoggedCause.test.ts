import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import fc from "fast-check"
import { loggedCause } from "../../src/ports/kernel/LoggedCause.ts"
import { forEvery } from "../support/Property.ts"

const told = (cause: Cause.Cause<unknown>): string => Cause.pretty(loggedCause(cause))

const canary = "jane@donor.example"

/** An error as the driver makes it of what the server reports. */
const reported = (fields: Readonly<Record<string, string>>) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error(fields["message"]), { severity: "ERROR", ...fields }),
      message: "Query failed"
    })
  })

describe("a cause as it is logged", () => {
  it("names state, table, column and constraint of the database's errors, with the stack", () => {
    const text = told(
      Cause.die(
        reported({
          code: "23514",
          message: 'new row for relation "donors" violates check constraint "adult"',
          detail: `Failing row contains (${canary}).`,
          table: "donors",
          constraint: "adult"
        })
      )
    )
    assert.include(text, "SqlError: Query failed")
    assert.match(text, /SQLSTATE 23514: new row for relation "donors" .*: table donors, constraint adult/)
    assert.match(text, /LoggedCause\.test\.ts:\d+/)
    assert.notInclude(text, canary)
  })

  it("is one line where the database cannot be reached", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" })
    const away = new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause, message: "Failed to connect" })
    })
    const text = told(Cause.die(away))
    assert.strictEqual(
      text,
      "SqlError: nothing listens at this address (ECONNREFUSED). Start the server, or set the right host and port."
    )
    assert.strictEqual(told(loggedCause(Cause.die(away))), text)
  })

  it("holds no value, wherever the error has it", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9" :\n@.]{0,8}Canary7[A-Za-z0-9" :\n@.]{0,8}$/)
    const errors = value.chain((text) =>
      fc.constantFrom<unknown>(
        text,
        { message: text, stack: `Odd: ${text}\n    at somewhere` },
        new SyntaxError(`Unexpected token, ${text} is not valid JSON`),
        new Error("it broke", { cause: new SyntaxError(text) }),
        reported({ code: "22P02", message: `invalid input syntax for type integer: "${text}"`, where: text }),
        reported({ code: "P0001", message: `no place for ${text}`, hint: text }),
        reported({ code: "23505", message: "duplicate key value", detail: text, internalQuery: text })
      )
    )
    forEvery(errors, fc.boolean(), (error, fails) => {
      const text = told(fails ? Cause.fail(error) : Cause.die(error))
      assert.notInclude(text, "Canary7")
      assert.notStrictEqual(text, "")
    })
  })

  it("keeps what the program says itself, and interruptions", () => {
    const text = told(Cause.die(new TypeError("undefined is not iterable", { cause: new Error("the store is away") })))
    assert.match(text, /^TypeError: undefined is not iterable\n\s+at /)
    assert.include(text, "[cause]: Error: the store is away")
    assert.isTrue(Cause.hasInterruptsOnly(loggedCause(Cause.interrupt(1))))
  })

  it("is the same again when it is told twice", () => {
    const once = loggedCause(Cause.die(reported({ code: "22P02", message: 'invalid input syntax: "x"' })))
    assert.strictEqual(told(once), Cause.pretty(once))
  })
})
