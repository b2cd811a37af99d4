import { Effect, Option } from "effect"
import fc from "fast-check"
import { type Membership, User } from "../../domain/access/Membership.ts"
import { UserStore } from "../../ports/access/UserStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { at, freshId, newOrganisation, storedIn } from "./Records.ts"
import { assertRefused, inTransaction, lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

/** A user who is not stored yet. */
const userOf = Effect.fnUntraced(function* (given: Partial<User> = {}) {
  const id = yield* freshId("user")
  const user: User = { id, email: `Bea.${id}@Example.org`, name: "Bea", created_at: at(0), ...given }
  return user
})

export const newUser = (given: Partial<User> = {}) => storedIn(UserStore, userOf(given))

const { law, must, property } = lawsOf(UserStore)

/** The laws of {@link UserStore}. */
export const users = (given: Thoroughness = {}) =>
  suite([
    property(
      "a user is read back as they were written, by id and by address, whatever its case",
      [],
      runsOf(given),
      atBounds(User, Generators.user),
      function* (drafted, { store }) {
        const { email, id } = yield* userOf()
        const user = { ...drafted, id, email }
        yield* Effect.orDie(store.insert(user))
        same(yield* store.find(id), Option.some(user))
        same(yield* store.findByEmail(` ${email.toUpperCase()} `), Option.some(user))
      }
    ),

    must(
      "an address belongs to one user, whatever its case",
      ["UserStore.insert MUST fail with AlreadyTaken (email) when a user has the address, whatever its case"],
      function* ({ store }) {
        const holder = yield* newUser()
        const rival = yield* userOf({ email: holder.email.toUpperCase() })
        const taken = { _tag: "AlreadyTaken", field: "email", holder_id: holder.id }
        const next = yield* inTransaction(Effect.andThen(assertRefused(store.insert(rival), taken), newUser()))
        none(yield* store.find(rival.id))
        same(yield* store.find(next.id), Option.some(next))
        const twins = yield* Effect.forEach([1, 2, 3], () => userOf({ email: `twin-${holder.id}@example.org` }))
        const written = yield* Effect.forEach(twins, (twin) => Effect.exit(inTransaction(store.insert(twin))), {
          concurrency: "unbounded"
        })
        assert.lengthOf(
          written.filter(({ _tag }) => _tag === "Success"),
          1
        )
      }
    ),

    law("all users are listed, oldest first", function* ({ store }) {
      const late = yield* newUser({ created_at: at(9) })
      const early = yield* newUser({ created_at: at(8) })
      const ours = new Set([late.id, early.id])
      same(
        (yield* store.all).filter(({ id }) => ours.has(id)),
        [early, late]
      )
    }),

    property(
      "a membership is of one user and one organisation, and keeps its beginning when its role changes",
      [
        "UserStore.putMembership MUST give one who is a member already the role, and keep when that one became a member"
      ],
      runsOf(given),
      fc.array(Generators.role, { minLength: 1, maxLength: 3 }),
      function* (given, { store }) {
        const [first, second] = [yield* newOrganisation(), yield* newOrganisation()]
        const [user, other] = [yield* newUser(), yield* newUser()]
        const common = { organisation_id: second.id, user_id: user.id, created_at: at(1), updated_at: at(1) }
        const elsewhere: Membership = { ...common, role: "VIEWER" }
        same(yield* store.putMembership(elsewhere), elsewhere)
        for (const [index, role] of given.entries()) {
          const moment = at(2 + index)
          const put: Membership = {
            organisation_id: first.id,
            user_id: user.id,
            role,
            created_at: moment,
            updated_at: moment
          }
          const kept = { ...put, created_at: at(2) }
          same(yield* store.putMembership(put), kept)
          same(yield* store.findMembership(first.id, user.id), Option.some(kept))
          same(yield* store.memberships(user.id), [elsewhere, kept])
        }
        none(yield* store.findMembership(first.id, other.id))
        same(yield* store.memberships(other.id), [])
      }
    ),

    must(
      "a membership that ends is of one user and one organisation",
      ["UserStore.removeMembership MUST leave the user and others' memberships"],
      function* ({ store }) {
        const [first, second] = [yield* newOrganisation(), yield* newOrganisation()]
        const [user, other] = [yield* newUser(), yield* newUser()]
        const common = { role: "ADMIN", created_at: at(1), updated_at: at(1) } as const
        const put = (organisation_id: typeof first.id, user_id: typeof user.id) =>
          store.putMembership({ ...common, organisation_id, user_id })
        const ended = yield* put(first.id, user.id)
        const elsewhere = yield* put(second.id, user.id)
        const others = yield* put(first.id, other.id)
        same(yield* inTransaction(store.removeMembership(first.id, user.id)), Option.some(ended))
        none(yield* store.removeMembership(first.id, user.id))
        none(yield* store.findMembership(first.id, user.id))
        same(yield* store.memberships(user.id), [elsewhere])
        same(yield* store.memberships(other.id), [others])
        same(yield* store.admins(first.id), [other])
        same(yield* store.find(user.id), Option.some(user))
        const again = { ...ended, created_at: at(2), updated_at: at(2) }
        same(yield* store.putMembership(again), again)
        same(yield* store.removeMembership(second.id, user.id), Option.some(elsewhere))
        same(yield* store.removeMembership(first.id, other.id), Option.some(others))
      }
    ),

    property(
      "the admins of an organisation are who has that role in it now, in the order of their becoming members",
      [],
      runsOf(given),
      fc.array(fc.record({ first: Generators.role, now: Generators.role }), { maxLength: 4 }),
      function* (members, { store }) {
        const [organisation, elsewhere] = [yield* newOrganisation(), yield* newOrganisation()]
        const admins: Array<User> = []
        for (const [index, { first, now }] of members.entries()) {
          const user = yield* newUser({ created_at: at(members.length - index) })
          const membership = { user_id: user.id, created_at: at(index), updated_at: at(index) }
          yield* store.putMembership({ ...membership, organisation_id: elsewhere.id, role: "ADMIN" })
          yield* store.putMembership({ ...membership, organisation_id: organisation.id, role: first })
          const later = { created_at: at(99 - index), updated_at: at(99 - index) }
          yield* store.putMembership({ ...membership, ...later, organisation_id: organisation.id, role: now })
          if (now === "ADMIN") admins.push(user)
        }
        same(yield* store.admins(organisation.id), admins)
        assert.lengthOf(yield* store.admins(elsewhere.id), members.length)
      }
    )
  ])
