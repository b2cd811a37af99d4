import { assert, describe, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import fc from "fast-check"
import * as client from "../../src/client.ts"
import * as library from "../../src/index.ts"
import * as domain from "../../src/internal.ts"
import * as pgliteEntry from "../../src/pglite.ts"
import * as ports from "../../src/ports.ts"
import * as postgresEntry from "../../src/postgres.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"

type ErrorClass = (abstract new (...args: never) => Error) & { readonly fields?: Readonly<Record<string, unknown>> }

const isErrorClass = (value: unknown): value is ErrorClass =>
  Predicate.isFunction(value) && value.prototype instanceof Error

/** Every class of errors that the entries of the package export, in their namespaces too. */
const classes = [library, domain, ports, client, pgliteEntry, postgresEntry]
  .flatMap((entry): ReadonlyArray<unknown> => Object.values(entry))
  .flatMap((value) => (isErrorClass(value) ? [value] : Object.values(Object(value)).filter(isErrorClass)))

describe("a class of errors", () => {
  it("says in a sentence what happened, whatever its fields are", () => {
    let tried = 0
    for (const one of new Set(classes)) {
      const { name } = one
      // Where the message is a field, whoever makes the error writes the sentence.
      if (!Schema.isSchema(one) || one === library.Rejection.Rejection || Object.hasOwn(one.fields ?? {}, "message"))
        continue
      tried += 1
      for (const error of fc.sample(arbitraryOf(one as unknown as Schema.Schema<Error>), { numRuns: 20, seed: 1 })) {
        // A sentence of its own, written where the error is made.
        if (Predicate.hasProperty(error, "instead") && error.instead !== undefined) continue
        assert.match(error.message, /^\S.*[.?!]$/s, name)
        assert.isAbove(error.message.split(" ").length, 3, name)
      }
    }
    assert.isAbove(tried, 8)
  })
})
