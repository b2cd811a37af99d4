import { Effect, Option } from "effect"
import fc from "fast-check"
import { listing, type RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, freshLinkId, linkOf, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RecipientAccountStore | IntegrationStore | OrganisationStore | Transaction

const draft = fc.tuple(Generators.recipientAccount, fc.nat(3).map(at)).map(([link, created_at]) => ({
  ...link,
  created_at
}))

/** A new link, for the fields that name other records. */
const newLink = Effect.gen(function* () {
  const [organisation, recipient] = [yield* newOrganisation(), yield* newOrganisation()]
  return yield* linkOf(organisation.id, recipient, { label: "0" })
})

const storedLink = Effect.gen(function* () {
  const link = yield* newLink
  yield* (yield* RecipientAccountStore).insert(link)
  return link
})

const named = ({
  id,
  organisation_id,
  recipient_integration_id,
  recipient_organisation_id
}: Effect.Success<typeof newLink>) => ({ id, organisation_id, recipient_integration_id, recipient_organisation_id })

const answersOne =
  "RecipientAccountStore.findOrInsert MUST answer one and the same record to requests at the same moment"
const holdsOne = "RecipientAccountStore.findOrInsert MUST hold it against every change until the transaction ends"
const sharesMany =
  "RecipientAccountStore.findManyForShare MUST hold them against change, and not against others that share them"

/**
 * The laws of {@link RecipientAccountStore}.
 */
export const recipientAccounts = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a link is read back as it was written, and after each update",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.recipientAccount, Generators.recipientAccount),
        Effect.fnUntraced(function* (written) {
          const store = yield* RecipientAccountStore
          const names = named(yield* newLink)
          const { id, organisation_id } = names
          for (const [index, each] of written.entries()) {
            const link = { ...each, ...names }
            yield* index === 0 ? store.insert(link) : store.update(link)
            same(yield* store.find(organisation_id, id), Option.some(link))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(link))
          }
        })
      )
  ),

  ...lists<RecipientAccount, RecipientAccount, Needs>(
    {
      name: "recipient accounts",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const link = { ...drafted, ...named(yield* linkOf(organisation_id, yield* newOrganisation())) }
        yield* (yield* RecipientAccountStore).insert(link)
        return link
      }),
      list: (organisation_id, query) => RecipientAccountStore.use((store) => store.list(organisation_id, query)),
      columns: (link) => link
    },
    runsOf(given)
  ),

  holding<RecipientAccount, Needs>({
    name: "a link",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: storedLink,
    findForUpdate: ({ id, organisation_id }) =>
      RecipientAccountStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (link) => RecipientAccountStore.use((store) => store.update(link)),
    count: ({ label }) => Number(label),
    counted: (link, count) => ({ ...link, label: `${count}` })
  }),

  must("of many that link one account at the same moment, one makes the link and all see it", [answersOne], () =>
    Effect.gen(function* () {
      const store = yield* RecipientAccountStore
      const transaction = yield* Transaction
      const link = yield* newLink
      const found = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () =>
          Effect.flatMap(freshLinkId, (id) =>
            transaction.run(Effect.tap(store.findOrInsert({ ...link, id }), () => Effect.yieldNow))
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        found.filter(({ created }) => created),
        1
      )
      assert.lengthOf(new Set(found.map(({ link: each }) => each.id)), 1)
    })
  ),

  law("a link that is not active is found, and not made again", () =>
    Effect.gen(function* () {
      const store = yield* RecipientAccountStore
      const link = { ...(yield* newLink), is_active: false, deactivated_at: at(1) }
      yield* store.insert(link)
      const again = { ...link, id: yield* freshLinkId, is_active: true }
      same(yield* store.findOrInsert(again), { link, created: false })
      none(yield* store.find(link.organisation_id, again.id))
    })
  ),

  holding<RecipientAccount, Needs>({
    name: "a link that was found instead of being made",
    must: holdsOne,
    make: storedLink,
    findForUpdate: (link) =>
      RecipientAccountStore.use((store) => Effect.map(store.findOrInsert(link), (found) => Option.some(found.link))),
    update: (link) => RecipientAccountStore.use((store) => store.update(link)),
    count: ({ label }) => Number(label),
    counted: (link, count) => ({ ...link, label: `${count}` })
  }),

  must(
    "links are found by their ids, each once, and another organisation's are not",
    ["RecordReader MUST see the named organisation's records only"],
    () =>
      Effect.gen(function* () {
        const store = yield* RecipientAccountStore
        const [mine, recipient] = [yield* newLink, yield* newOrganisation()]
        const second = yield* linkOf(mine.organisation_id, recipient)
        const foreign = yield* newLink
        yield* Effect.forEach([mine, second, foreign], (link) => store.insert(link))
        const ids = [second.id, mine.id, mine.id, foreign.id, yield* freshLinkId]
        const found = yield* store.findManyForShare(mine.organisation_id, ids)
        same(found.map(({ id }) => id).toSorted(), [mine.id, second.id].toSorted())
        same(yield* store.findManyForShare(mine.organisation_id, []), [])
        none(yield* store.find(mine.organisation_id, foreign.id))
        none(yield* store.findForUpdate(mine.organisation_id, foreign.id))
        yield* store.update({ ...foreign, organisation_id: mine.organisation_id })
        same(yield* store.find(foreign.organisation_id, foreign.id), Option.some(foreign))
      })
  ),

  must("a link that is shared does not change until the one that shares it is done", [sharesMany], () =>
    Effect.gen(function* () {
      const store = yield* RecipientAccountStore
      const transaction = yield* Transaction
      const link = yield* newLink
      yield* store.insert(link)
      const shared = store.findManyForShare(link.organisation_id, [link.id])
      const readTwice = transaction.run(
        Effect.gen(function* () {
          const before = yield* shared
          for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
          return [before, yield* store.findManyForShare(link.organisation_id, [link.id])]
        })
      )
      const rename = Effect.forEach(["1", "2", "3"], (label) => transaction.run(store.update({ ...link, label })))
      const [readings] = yield* Effect.all(
        [Effect.all([readTwice, readTwice, readTwice], { concurrency: "unbounded" }), rename],
        { concurrency: "unbounded" }
      )
      for (const [before, after] of readings) same(after, before)
    })
  )
]
