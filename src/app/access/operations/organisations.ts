import { Schema } from "effect"
import {
  LinkedOrganisationRecord,
  LiveSlug,
  linkedListing,
  Organisation,
  OrganisationPatch,
  OwnOrganisation
} from "../../../domain/access/Organisation.ts"
import { Plan } from "../../../domain/access/Plan.ts"
import { Timezone } from "../../../domain/kernel/CalendarDate.ts"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { CurrencyInUse } from "../../../domain/kernel/Money.ts"
import { FilledName } from "../../../domain/kernel/Text.ts"
import { asks, type Operator, Organisations } from "../Organisations.ts"
import { body, id, operationsOf, optionalBody, pageOf, query, value } from "../steps/Operation.ts"

const organisations = operationsOf(Organisations)

/** The input of a new organisation, from an operator. decisions, section 4: Organisations. */
const NewOrganisation = Schema.Struct({
  slug: LiveSlug,
  name: FilledName,
  timezone: Timezone,
  default_currency: CurrencyInUse,
  plan: Schema.optionalKey(Plan),
  sandbox_webhook_cidrs: Schema.optionalKey(Schema.Array(Schema.String))
})

/** Who keeps the installation, as the audit names it. */
const GivenOperator = Schema.Struct({
  actor: Schema.optionalKey(Schema.Struct({ type: Schema.Literals(["USER", "SYSTEM"]), id: Schema.String })),
  request_id: Schema.optionalKey(Schema.String)
})

const host: Operator = { actor: { type: "SYSTEM", id: "host" }, request_id: "host" }

/** The operations of {@link Organisations}. */
export const organisationOperations = {
  readOwn: organisations.forCaller({
    asks: asks.readOwn,
    takes: [],
    gives: OwnOrganisation,
    run: (use) => use.readOwn()
  }),
  updateOwn: organisations.forCaller({
    asks: asks.updateOwn,
    keyed: true,
    takes: [body(OrganisationPatch, OwnOrganisation)],
    gives: OwnOrganisation,
    run: (use, patch) => use.updateOwn(patch)
  }),
  listLinked: organisations.forCaller({
    asks: asks.listLinked,
    takes: [query(linkedListing)],
    gives: pageOf(LinkedOrganisationRecord),
    run: (use, asked) => use.listLinked(asked)
  }),
  readLinked: organisations.forCaller({
    asks: asks.readLinked,
    takes: [id(OrganisationId, "linked organisation")],
    gives: LinkedOrganisationRecord,
    run: (use, organisation) => use.readLinked(organisation)
  }),
  setPlan: organisations.forOperator({
    asks: asks.setPlan,
    takes: [value("plan", Plan)],
    gives: Organisation,
    run: (use, plan) => use.setPlan(plan)
  }),
  rename: organisations.forOperator({
    asks: asks.rename,
    takes: [value("name", FilledName)],
    gives: Organisation,
    run: (use, name) => use.rename(name)
  }),
  create: organisations.forInstallation({
    takes: [body(NewOrganisation), optionalBody(GivenOperator)],
    gives: Schema.Struct({ live: Organisation, sandbox: Organisation }),
    run: (use, input, operator) =>
      use.create({ plan: "FREE", sandbox_webhook_cidrs: [], ...input }, { ...host, ...operator })
  }),
  findBySlug: organisations.forInstallation({
    takes: [value("slug", Schema.String)],
    gives: Organisation,
    run: (use, slug) => use.findBySlug(slug)
  }),
  all: organisations.forInstallation({ takes: [], gives: Schema.Array(Organisation), run: (use) => use.all })
}
