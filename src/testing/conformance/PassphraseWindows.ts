import { DateTime, Effect } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { PassphraseFailures } from "../../ports/sharing/PassphraseFailures.ts"
import * as Generators from "../Generators.ts"
import { at, newOrganisation } from "./Records.ts"
import { inTransaction, lawsOf, runsOf, same, suite, type Thoroughness, together, transactionOf } from "./Suite.ts"

const { must, property } = lawsOf(PassphraseFailures)

/** Times far from those of other checks' failures. */
const before = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

/** The laws of {@link PassphraseFailures}. */
export const passphraseFailures = (given: Thoroughness = {}) =>
  suite([
    property(
      "failures are read back as they were written, in their order, and by their organisation alone",
      [],
      runsOf(given),
      fc.array(fc.array(Generators.instant, { maxLength: Limits.passphraseFailures }), { maxLength: 3 }),
      function* (written, { store, id, other }) {
        let kept: ReadonlyArray<DateTime.Utc> = []
        for (const failures of written) {
          same(yield* inTransaction(store.findForUpdate(id)), kept)
          yield* inTransaction(Effect.andThen(store.findForUpdate(id), store.replace(id, failures)))
          kept = failures
        }
        same(yield* inTransaction(store.findForUpdate(id)), kept)
        same(yield* inTransaction(store.findForUpdate(other)), [])
      }
    ),

    must(
      "of many that fail at the same moment, the first ones included, each sees those before it",
      ["PassphraseFailures.findForUpdate MUST let one transaction after the other read and replace them"],
      function* ({ store, id }) {
        const fail = transactionOf(function* () {
          const before = yield* store.findForUpdate(id)
          yield* Effect.yieldNow
          yield* store.replace(id, [...before, at(before.length)])
          return before.length
        })
        const counts = yield* together(6, fail)
        same(counts.toSorted(), [0, 1, 2, 3, 4, 5])
        same(yield* inTransaction(store.findForUpdate(id)), [0, 1, 2, 3, 4, 5].map(at))
      }
    ),

    must(
      "the failures of organisations that had none of late are forgotten, and none that is written meanwhile",
      ["PassphraseFailures.trim MUST lose no failure that is written at the same moment"],
      function* ({ store }) {
        const [old, mixed, none] = [yield* newOrganisation(), yield* newOrganisation(), yield* newOrganisation()]
        const write = ({ id }: { readonly id: OrganisationId }, failures: ReadonlyArray<DateTime.Utc>) =>
          inTransaction(Effect.andThen(store.findForUpdate(id), store.replace(id, failures)))
        const read = ({ id }: { readonly id: OrganisationId }) => inTransaction(store.findForUpdate(id))
        // Records of other checks.
        while ((yield* store.trim(before(0), 1_000)) > 0) {}
        yield* write(old, [before(1), before(2)])
        yield* write(mixed, [before(1), before(3)])
        yield* write(none, [])
        same([yield* store.trim(before(2), 1), yield* store.trim(before(2), 10)], [1, 1])
        same(yield* read(old), [])
        same(yield* read(mixed), [before(1), before(3)])
        const fail = transactionOf(function* () {
          const failures = yield* store.findForUpdate(old.id)
          yield* Effect.yieldNow
          yield* store.replace(old.id, [...failures, before(9)])
        })
        const trim = store.trim(before(8), 10)
        yield* Effect.all([trim, fail, trim, fail, trim, fail, trim], { concurrency: "unbounded" })
        same(yield* read(old), [before(9), before(9), before(9)])
      }
    )
  ])
