import { DateTime, Effect, Option } from "effect"
import { Organisation } from "../../domain/access/Organisation.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { lockCheck } from "./RecordLocks.ts"
import { at, freshId, newOrganisation, organisationOf } from "./Records.ts"
import {
  assertRefused,
  inTransaction,
  lawsOf,
  none,
  runsOf,
  same,
  suite,
  type Thoroughness,
  together
} from "./Suite.ts"

const { law, must, property } = lawsOf(OrganisationStore)

/** The laws of {@link OrganisationStore}. */
export const organisations = (given: Thoroughness = {}) =>
  suite([
    property(
      "an organisation is read back by id and by slug, and nothing before",
      [],
      runsOf(given),
      atBounds(Organisation, Generators.organisation),
      function* (given, { store }) {
        const id = yield* freshId("organisation")
        const organisation = { ...given, id, slug: `${id}-${given.slug}` }
        for (const unknown of [store.find(id), store.findForUpdate(id), store.findBySlug(organisation.slug)])
          none(yield* unknown)
        yield* store.insert(organisation)
        for (const found of [yield* store.find(id), yield* store.findForUpdate(id)])
          same(found, Option.some(organisation))
        same(yield* store.findBySlug(organisation.slug), Option.some(organisation))
        const changed = {
          ...given,
          id,
          slug: organisation.slug,
          name: "Renamed",
          plan: "RAISE" as const,
          updated_at: at(1)
        }
        yield* store.update(changed)
        same(yield* store.find(id), Option.some(changed))
      }
    ),

    lockCheck({
      name: "an organisation",
      must: "OrganisationStore.findForUpdate MUST hold the row until the surrounding transaction ends",
      make: newOrganisation({ name: "0" }),
      findForUpdate: ({ id }) => OrganisationStore.use((store) => store.findForUpdate(id)),
      update: (organisation) => OrganisationStore.use((store) => store.update(organisation)),
      count: ({ name }) => Number(name),
      counted: (organisation, count) => ({ ...organisation, name: `${count}` })
    }),

    must(
      "a slug is used once: the refusal names its holder and writes nothing",
      ["OrganisationStore.insert MUST fail with AlreadyTaken (slug) when the slug is in use"],
      function* ({ store }) {
        const holder = yield* newOrganisation()
        const id = yield* freshId("organisation")
        const facts = { _tag: "AlreadyTaken", field: "slug", holder_id: holder.id }
        yield* assertRefused(store.insert(organisationOf(id, { slug: holder.slug })), facts)
        none(yield* store.find(id))
        // A refusal is a failure and no defect: the transaction around it goes on.
        const kept = organisationOf(id)
        yield* inTransaction(
          Effect.andThen(Effect.flip(store.insert(organisationOf(id, { slug: holder.slug }))), store.insert(kept))
        )
        same(yield* store.find(id), Option.some(kept))
      }
    ),

    must(
      "of inserts of one slug at the same moment one succeeds",
      ["OrganisationStore.insert MUST fail with AlreadyTaken (slug) when the slug is in use"],
      function* ({ store }) {
        const slug = yield* freshId("organisation")
        const insert = Effect.flatMap(freshId("organisation"), (id) =>
          Effect.option(store.insert(organisationOf(id, { slug })))
        )
        const outcomes = yield* together(5, insert)
        assert.lengthOf(outcomes.filter(Option.isSome), 1)
      }
    ),

    law("all are listed, oldest first", function* ({ store }) {
      const made = [
        yield* newOrganisation({
          created_at: at(30),
          abn: "53004085616",
          website_url: "https://riverside.example.org"
        }),
        yield* newOrganisation({ created_at: at(10), webhook_allowed_cidrs: ["10.0.0.0/8"] }),
        yield* newOrganisation({ created_at: at(20) })
      ]
      const known = new Set(made.map(({ id }) => id))
      const listed = (yield* store.all).filter(({ id }) => known.has(id))
      same(
        listed,
        made.toSorted((a, b) => DateTime.Order(a.created_at, b.created_at))
      )
    })
  ])
