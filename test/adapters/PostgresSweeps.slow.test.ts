import { assert, describe } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import { ChangeLog } from "../../src/app/access/change/Change.ts"
import { Sweeper } from "../../src/app/outbox/Sweeper.ts"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { CheckoutLinkStore, IntroductionStore } from "../../src/ports.ts"
import { checkoutLinkOf } from "../../src/testing/conformance/DonationForms.ts"
import { newIntroduction } from "../../src/testing/conformance/Introductions.ts"
import { newOrganisation } from "../../src/testing/conformance/Records.ts"
import { secretBox } from "../conformance/Seal.ts"
import type { layerFresh } from "../support/FreshDatabase.ts"
import { withFresh } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

const lines: Array<string> = []

const logger = Logger.layer([
  Logger.make<unknown, void>(({ message }) => {
    lines.push(String(message))
  })
])

const worldOf = (database: typeof layerFresh) =>
  Sweeper.layer.pipe(
    Layer.provide(ChangeLog.layer),
    Layer.provideMerge(Layer.provide(Stores.layer, secretBox)),
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge(Layer.provideMerge(Layer.orDie(Migrations.layer), database)),
    Layer.provideMerge(logger)
  )

const alter = (statement: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(statement))

const overSince = (seconds: number) =>
  Effect.map(DateTime.now, (now) => DateTime.subtract(now, { seconds: seconds + 1 }))

const introduction = Effect.fnUntraced(function* (organisation_id: OrganisationId, seconds: number) {
  return yield* newIntroduction(organisation_id, { expires_at: yield* overSince(seconds) })
})

const link = Effect.fnUntraced(function* (organisation_id: OrganisationId, seconds: number) {
  const made = yield* checkoutLinkOf(organisation_id, { expires_at: yield* overSince(seconds) })
  yield* CheckoutLinkStore.use((store) => store.insert(made))
  return made
})

const sweep = Sweeper.use(({ sweepOnce }) => sweepOnce)

/** Values that no version of the service writes, or that a later one may. */
const damages = {
  introductions: [
    "resend_count = 99",
    "created_at = 'infinity'",
    "viewed_at = '-infinity'",
    "expires_at = '-infinity'",
    "id = 'of another kind'"
  ],
  checkout_links: [
    "payment_methods = '{cheque}'",
    "created_at = 'infinity'",
    "source = 'TELEX'",
    "id = 'of another kind'"
  ]
} as const

describe.each(databases)("records that cannot be read, in %s", (_name, database) => {
  const { live } = withFresh(worldOf(database))

  live("are left as they are, counted and told of once, and all others expire", function* () {
    lines.length = 0
    const { id } = yield* newOrganisation()
    // The damaged ones are the first that are due.
    for (const [index, damage] of damages.introductions.entries()) {
      const broken = yield* introduction(id, 1_000 + index)
      yield* alter(`UPDATE introductions SET ${damage} WHERE id = '${broken.id}'`)
    }
    for (const [index, damage] of damages.checkout_links.entries()) {
      const broken = yield* link(id, 1_000 + index)
      yield* alter(`UPDATE checkout_links SET ${damage} WHERE id = '${broken.id}'`)
    }
    const sound = [yield* introduction(id, 3), yield* introduction(id, 2)]
    const links = [yield* link(id, 3), yield* link(id, 2)]
    const all = damages.introductions.length + damages.checkout_links.length
    assert.deepInclude(yield* sweep, { introductions_expired: 2, checkout_links_expired: 2, records_unreadable: all })
    for (const each of sound) {
      const found = yield* IntroductionStore.use((store) => store.find(id, each.id))
      assert.strictEqual(Option.getOrThrow(found).status, "EXPIRED")
    }
    for (const each of links) {
      const found = yield* CheckoutLinkStore.use((store) => store.find(id, each.id))
      assert.strictEqual(Option.getOrThrow(found).status, "EXPIRED")
    }
    assert.deepInclude(yield* sweep, { introductions_expired: 0, records_unreadable: all })
    assert.strictEqual(lines.filter((line) => line.includes("cannot be read")).length, all)
  })

  live("take the place of no other, however many they are, and expire once they can be read", function* () {
    lines.length = 0
    const { id } = yield* newOrganisation()
    const pattern = yield* introduction(id, 10_000)
    yield* alter(`
          INSERT INTO introductions
          SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'intr_' || lpad(n::text, 26, '0'),
            'external_id', NULL, 'resend_count', 99))).*
          FROM introductions AS i, generate_series(1, 250) AS n WHERE i.id = '${pattern.id}'`)
    yield* introduction(id, 1)
    assert.deepInclude(yield* sweep, { introductions_expired: 2, records_unreadable: 250 })
    yield* alter("UPDATE introductions SET resend_count = 0 WHERE resend_count = 99")
    assert.deepInclude(yield* sweep, { introductions_expired: 250, records_unreadable: 0 })
  })

  live("are told from a store that refuses: that ends the sweep as a failure", function* () {
    const { id } = yield* newOrganisation()
    yield* introduction(id, 1)
    yield* alter("ALTER TABLE audit_entries RENAME TO audit_entries_away")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep)))
    yield* alter("ALTER TABLE audit_entries_away RENAME TO audit_entries")
    assert.strictEqual((yield* sweep).introductions_expired, 1)
  })
})
