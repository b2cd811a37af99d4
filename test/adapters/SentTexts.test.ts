import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import fc from "fast-check"
import { cacheMaximum, makeStatementCache } from "../../src/adapters/postgres/tenant/TenantGuard.ts"
import { forEveryWith } from "../support/Property.ts"
import { rounds } from "../support/Rounds.ts"

/** The library's own, of which no statement is sent here. */
const sql = Statement.make(Effect.die(new Error("sent")), PgClient.makeCompiler(), [], undefined)

const value = fc.oneof(fc.constantFrom("a", "b", "$1", '"a"'), fc.integer(), fc.constant(null))

/** Parts whose texts, names and values are easily taken for one another. */
const part: fc.Arbitrary<Statement.Fragment> = fc.letrec<{ readonly part: Statement.Fragment }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    value.map((each) => sql`${each}`),
    fc.constantFrom("a", "b").map((name) => sql`${sql(name)}`),
    fc.constantFrom("a", "b", "", "$1", '"a"').map((text) => sql.literal(text)),
    fc.array(value, { maxLength: 3 }).map((values) => sql`a IN ${sql.in(values)}`),
    fc.array(value, { maxLength: 2 }).map((values) => sql.unsafe("a", values)),
    tie("part").map((inner) => sql`a ${inner} b`),
    fc.tuple(tie("part"), tie("part")).map((both) => sql.and(both))
  )
})).part

const statements = fc.array(
  fc.array(part, { maxLength: 4 }).map((parts) => sql`SELECT ${sql.csv(parts)}`),
  { minLength: 1, maxLength: 30 }
)

/** What is made of a statement, and whether the library had to be asked for it. */
const made = (texts: ReturnType<typeof makeStatementCache>, statement: Statement.Statement<unknown>) => {
  let isAsked = false
  const compiled = texts(statement.segments, () => {
    isAsked = true
    return statement.compile()
  })
  return { compiled, isAsked }
}

describe("texts that were sent", () => {
  it("are, with their values, what the library makes of each statement, whichever came before", () =>
    forEveryWith({ numRuns: 300 * rounds }, statements, (all) => {
      const texts = makeStatementCache()
      for (const statement of all) assert.deepStrictEqual(made(texts, statement).compiled, statement.compile())
    }))

  it("are not made again for other values", () => {
    const texts = makeStatementCache()
    const asked = ["a", "b", 3].map((id) => made(texts, sql`SELECT ${sql("x")} WHERE id = ${id}`).isAsked)
    assert.deepStrictEqual(asked, [true, false, false])
    assert.isTrue(made(texts, sql`SELECT ${sql("y")} WHERE id = ${"a"}`).isAsked)
  })

  it("are forgotten when there are too many", () => {
    const texts = makeStatementCache()
    const nth = (n: number) => sql`SELECT ${sql.literal(`${n}`)}`
    for (let n = 0; n < cacheMaximum; n++) assert.isTrue(made(texts, nth(n)).isAsked)
    assert.isTrue(made(texts, nth(0)).isAsked)
    assert.isFalse(made(texts, nth(0)).isAsked)
  })
})
