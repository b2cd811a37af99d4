import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import fc from "fast-check"
import { DatabaseUnusable, troubleOf, troubleOfCause } from "../../src/ports/kernel/DatabaseTrouble.ts"
import { forEvery } from "../support/Property.ts"
import { broken } from "../support/Sentences.ts"

const failed = (fields: object) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error("said"), fields), message: "Query failed" })
  })

const ofDriver = (message: string) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("odd"), message }) })

/** What an operator can bring about, and what is told of it. */
const causes: ReadonlyArray<readonly [code: string, reason: RegExp, passes: boolean]> = [
  ["42501", /lacks a right: said$/, false],
  ["25006", /read-only/, true],
  ["42P07", /tables of another program: said$/, false],
  ["42P01", /missing: said$/, false],
  ["42703", /not as Almoner made it: said$/, false],
  ["53100", /disk is full/, true],
  ["53300", /no connections left/, true],
  ["57P01", /shut down/, true],
  ["57P02", /crashed/, true],
  ["57P03", /starting up/, true],
  ["28000", /refuses this user$/, false],
  ["28P01", /user name or password$/, false],
  ["3D000", /no database of this name/, false],
  ["3F000", /no schema/, false],
  ["XX001", /damaged/, false],
  ["ECONNREFUSED", /nothing listens/, true],
  ["ENOTFOUND", /no such host/, false],
  ["EAI_AGAIN", /could not be resolved/, true],
  ["CERT_HAS_EXPIRED", /expired/, false],
  ["ERR_TLS_CERT_ALTNAME_INVALID", /another host/, false],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /authority/, false]
]

describe("trouble of the database", () => {
  it.each(causes)("%s has a sentence with what to do", (code, reason, passes) => {
    const trouble = troubleOf(failed({ code })) ?? assert.fail(code)
    assert.match(trouble.reason, reason)
    assert.strictEqual(trouble.passes, passes)
    const { message } = new DatabaseUnusable(trouble)
    assert.isNull(broken(message), message)
    assert.include(message, `(${code})`)
    assert.match(message, /\)\. [A-Z].+\.$/)
  })

  it.each([
    ["PgConnection: Failed to parse server response", /not PostgreSQL/],
    ["PgConnection: Server refused TLS", /no TLS/],
    ["PgConnection: No password configured", /asks for a password/]
  ])("%s is told by the driver", (message, reason) => {
    assert.match(troubleOf(ofDriver(message))?.reason ?? "", reason)
  })

  it("is found however deep it lies, and in failures and defects alike", () => {
    const inner = failed({ code: "42501" })
    const wrapped = new Error("a migration failed", { cause: new Error("it broke", { cause: inner }) })
    for (const cause of [Cause.fail(wrapped), Cause.die(wrapped), Cause.die(inner)]) {
      assert.strictEqual(troubleOfCause(cause)?.code, "42501")
    }
  })

  it("is not what a mistake of the program, or anything but the database, brings about", () => {
    const codes = fc.constantFrom("22P02", "23505", "40001", "42601", "0A000", "P0001", "constructor", "")
    forEvery(codes, (code) => assert.isUndefined(troubleOf(failed({ code }))))
    const elsewhere = Object.assign(new Error("connect"), { code: "ECONNREFUSED" })
    assert.isUndefined(troubleOf(elsewhere))
    assert.isUndefined(troubleOf(undefined))
  })

  it("tells no value: only what names parts of the schema is repeated", () => {
    for (const code of ["28000", "28P01", "57014", "58P01", "53100"]) {
      assert.notInclude(troubleOf(failed({ code }))?.reason ?? assert.fail(code), "said")
    }
  })
})
