import { Schema } from "effect"
import { Actor, RequestId } from "../../../domain/access/Caller.ts"
import { LinkedOrganisationRecord, Organisation, OwnOrganisation } from "../../../domain/access/Organisation.ts"
import { asks, NewOrganisation, type Operator, Organisations, takes } from "../Organisations.ts"
import { body, operationsOf, optionalBody, pageOf } from "../steps/Operation.ts"

const organisations = operationsOf(Organisations)

/** The input of a new organisation. Of what is left out, the plan is FREE, and no network is opened. */
const GivenOrganisation = NewOrganisation.mapFields((fields) => ({
  ...fields,
  plan: Schema.optionalKey(fields.plan),
  sandbox_webhook_cidrs: Schema.optionalKey(fields.sandbox_webhook_cidrs)
})).annotate({ identifier: "NewOrganisation" })

/** Who keeps the installation, as the audit names it. */
const GivenOperator = Schema.Struct({
  actor: Schema.optionalKey(Actor),
  request_id: Schema.optionalKey(RequestId)
}).annotate({ identifier: "Operator" })

/** An organisation and its sandbox twin. */
const OrganisationPair = Schema.Struct({ live: Organisation, sandbox: Organisation }).annotate({
  identifier: "OrganisationPair"
})

const host: Operator = { actor: { type: "SYSTEM", id: "host" }, request_id: "host" }

/** The operations of {@link Organisations}. */
export const organisationOperations = {
  readOwn: organisations.forCaller({
    asks: asks.readOwn,
    takes: takes.readOwn,
    gives: OwnOrganisation,
    run: (use) => use.readOwn()
  }),
  updateOwn: organisations.forCaller({
    asks: asks.updateOwn,
    keyed: true,
    takes: takes.updateOwn,
    gives: OwnOrganisation,
    run: (use, patch) => use.updateOwn(patch)
  }),
  list: organisations.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(LinkedOrganisationRecord),
    run: (use, asked) => use.list(asked)
  }),
  read: organisations.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: LinkedOrganisationRecord,
    run: (use, organisation) => use.read(organisation)
  }),
  setPlan: organisations.forOperator({
    says: "Set the plan of an organisation and of its twin",
    example: ["GROW"],
    asks: asks.setPlan,
    takes: takes.setPlan,
    gives: Organisation,
    run: (use, plan) => use.setPlan(plan)
  }),
  rename: organisations.forOperator({
    says: "Give an organisation and its twin another name; the slug, which addresses hold, stays",
    example: ["Riverside Shelter"],
    asks: asks.rename,
    takes: takes.rename,
    gives: Organisation,
    run: (use, name) => use.rename(name)
  }),
  create: organisations.forInstallation({
    says: "Make an organisation with its sandbox twin",
    example: [
      {
        slug: "riverside",
        name: "Riverside Shelter",
        timezone: "Australia/Sydney",
        default_currency: "AUD",
        plan: "GROW"
      }
    ],
    takes: [body(GivenOrganisation), optionalBody(GivenOperator)],
    gives: OrganisationPair,
    run: (use, input, operator) =>
      use.create({ plan: "FREE", sandbox_webhook_cidrs: [], ...input }, { ...host, ...operator })
  }),
  findBySlug: organisations.forInstallation({
    says: "Find an organisation, or a sandbox, by its slug",
    example: ["riverside"],
    takes: takes.findBySlug,
    gives: Organisation,
    run: (use, slug) => use.findBySlug(slug)
  }),
  listOfInstallation: organisations.forInstallation({
    says: "List all organisations, oldest first",
    takes: [],
    gives: Schema.Array(Organisation),
    run: (use) => use.listOfInstallation
  })
}
