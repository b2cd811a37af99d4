import { Effect, Option } from "effect"
import { listing, payableOf, RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { lockCheck } from "./RecordLocks.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, idsOf, linkOf, newOrganisation } from "./Records.ts"
import { byId, inTransaction, none, same, type Thoroughness, transactionOf } from "./Suite.ts"

/** A new link, for the fields that name other records. */
const newLink = Effect.gen(function* () {
  const [organisation, recipient] = [yield* newOrganisation(), yield* newOrganisation()]
  return yield* linkOf(organisation.id, recipient, { label: "0" })
})

const answersOne =
  "RecipientAccountStore.findOrInsert MUST answer one and the same record to requests at the same moment"
const holdsOne = "RecipientAccountStore.findOrInsert MUST hold it against every change until the transaction ends"
const sharesMany =
  "RecipientAccountStore.findManyForShare MUST hold them against change, and not against others that share them"

/** The laws of {@link RecipientAccountStore}. */
export const recipientAccounts = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "recipient accounts",
    port: RecipientAccountStore,
    arbitrary: Generators.recipientAccount,
    schema: RecipientAccount,
    fresh: freshId("recipientAccountLink"),
    parents: Effect.fnUntraced(function* (organisation_id) {
      const link = yield* linkOf(organisation_id, yield* newOrganisation())
      const { recipient_integration_id, recipient_organisation_id } = link
      return { recipient_integration_id, recipient_organisation_id }
    }),
    list: { spec: listing }
  })(({ law, must }) => [
    must("of many that link an account at one moment, one makes the link", [answersOne], function* ({ store }) {
      const link = yield* newLink
      const found = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () =>
          Effect.flatMap(freshId("recipientAccountLink"), (id) =>
            inTransaction(Effect.tap(store.findOrInsert({ ...link, id }), () => Effect.yieldNow))
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        found.filter(({ created }) => created),
        1
      )
      assert.lengthOf(new Set(found.map(({ link: each }) => each.id)), 1)
    }),

    law("a link that is not active is found, and not made again", function* ({ store }) {
      const link = { ...(yield* newLink), is_active: false, deactivated_at: at(1) }
      yield* store.insert(link)
      const again = { ...link, id: yield* freshId("recipientAccountLink"), is_active: true }
      same(yield* store.findOrInsert(again), { link, created: false })
      none(yield* store.find(link.organisation_id, again.id))
      const another = yield* newLink
      same(yield* store.findOrInsert(another), { link: another, created: true })
    }),

    lockCheck({
      name: "a link that was found instead of being made",
      must: holdsOne,
      make: Effect.tap(newLink, (link) => RecipientAccountStore.use((store) => store.insert(link))),
      findForUpdate: (link: RecipientAccount) =>
        RecipientAccountStore.use((store) => Effect.map(store.findOrInsert(link), (found) => Option.some(found.link))),
      update: (link) => RecipientAccountStore.use((store) => store.update(link)),
      count: ({ label }) => Number(label),
      counted: (link, count) => ({ ...link, label: `${count}` })
    }),

    must(
      "links are found by their ids, each once, and another organisation's are not",
      ["RecordReader MUST see the named organisation's records only"],
      function* ({ store }) {
        const [mine, recipient] = [yield* newLink, yield* newOrganisation()]
        const second = yield* linkOf(mine.organisation_id, recipient)
        const foreign = yield* newLink
        yield* Effect.forEach([mine, second, foreign], (link) => store.insert(link))
        const ids = [second.id, mine.id, mine.id, foreign.id, yield* freshId("recipientAccountLink")]
        const found = yield* store.findManyForShare(mine.organisation_id, ids)
        same(byId(found), byId([mine, second].map(payableOf)))
        const theirs = yield* store.findManyForShare(foreign.organisation_id, [mine.id, foreign.id])
        same(idsOf(theirs), [foreign.id])
        same(yield* store.findManyForShare(mine.organisation_id, []), [])
      }
    ),

    must("a link that is shared does not change until who shares it is done", [sharesMany], function* ({ store }) {
      const link = yield* newLink
      yield* store.insert(link)
      const shared = store.findManyForShare(link.organisation_id, [link.id])
      const readTwice = transactionOf(function* () {
        const before = yield* shared
        for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
        return [before, yield* store.findManyForShare(link.organisation_id, [link.id])]
      })
      const rename = Effect.forEach(["1", "2", "3"], (label) => inTransaction(store.update({ ...link, label })))
      const [readings] = yield* Effect.all(
        [Effect.all([readTwice, readTwice, readTwice], { concurrency: "unbounded" }), rename],
        { concurrency: "unbounded" }
      )
      for (const [before, after] of readings) same(after, before)
    })
  ])
