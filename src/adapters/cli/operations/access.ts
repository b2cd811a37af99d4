import { Effect, Schema, Struct } from "effect"
import { Argument, Flag } from "effect/cli"
import { ApiKeys, apiKeyOperations } from "../../../app/access/ApiKeys.ts"
import { auditLogOperations } from "../../../app/access/AuditLog.ts"
import { Organisations, organisationOperations } from "../../../app/access/Organisations.ts"
import { sealedSecretOperations } from "../../../app/access/SealedSecrets.ts"
import { Users, userOperations } from "../../../app/access/Users.ts"
import { Sandbox, sandboxOperations } from "../../../app/outbox/Sandbox.ts"
import { DisclosedApiKey, Scope } from "../../../domain/access/ApiKey.ts"
import { roles, User } from "../../../domain/access/Membership.ts"
import { LiveSlug, Organisation } from "../../../domain/access/Organisation.ts"
import { Plan, plans } from "../../../domain/access/Plan.ts"
import { OrganisationClock, Step } from "../../../domain/access/SandboxClock.ts"
import { Timezone } from "../../../domain/kernel/CalendarDate.ts"
import { CurrencyInUse } from "../../../domain/kernel/Money.ts"
import { commandsOf, ofInstallation, ofOrganisation, operator, overInstallation, runAgainst } from "../Operation.ts"
import { Empty, FilledName, listOf, shownOnce, text, wholeNumber, withDefault, withDescription } from "./Parameters.ts"

export const organisationCommands = commandsOf("organisation", {
  create: ofInstallation({
    description: organisationOperations.create.summary,
    parameters: {
      slug: text("slug", "Its unique name in addresses: lower-case letters, digits and hyphens"),
      name: text("name", "Its name"),
      timezone: text("timezone", "A timezone of the IANA database, e.g. Australia/Sydney"),
      default_currency: text("default-currency", "The ISO 4217 code of its currency, e.g. AUD"),
      plan: withDefault(Flag.Literals("plan", plans), "Its plan", "FREE")
    },
    input: Schema.Struct({
      slug: LiveSlug,
      name: FilledName,
      timezone: Timezone,
      default_currency: CurrencyInUse,
      plan: Plan
    }),
    output: Schema.Struct({ live: Organisation, sandbox: Organisation }),
    run: (input) =>
      Effect.flatMap(operator, (acting) =>
        Organisations.use((organisations) =>
          organisations.create({ ...input, name: input.name.trim(), sandbox_webhook_cidrs: [] }, acting)
        )
      )
  }),
  list: overInstallation(organisationOperations.listOfInstallation, {
    columns: ["slug", "name", "plan", "is_sandbox", "timezone", "default_currency", "id"]
  }),
  "set-plan": runAgainst(organisationOperations.setPlan, {
    parameters: {
      plan: Argument.withDescription(Argument.Literals("plan", plans), `The plan (choices: ${plans.join(", ")})`)
    }
  }),
  rename: runAgainst(organisationOperations.rename, {
    parameters: { name: text("name", "Its new name") }
  })
})

export const apiKeyCommands = commandsOf("key", {
  create: ofOrganisation({
    description: apiKeyOperations.create.summary,
    parameters: {
      name: text("name", "What the key is for"),
      scope: withDescription(Flag.Literals("scope", Scope.literals), "What it may do: WRITE includes READ")
    },
    input: Schema.Struct({ name: FilledName, scope: Scope }),
    output: DisclosedApiKey,
    remark: shownOnce,
    run: ({ name, scope }) => ApiKeys.use((keys) => keys.create({ name: name.trim(), scope }))
  }),
  rotate: runAgainst(apiKeyOperations.rotate, { remark: shownOnce }),
  revoke: runAgainst(apiKeyOperations.revoke),
  list: runAgainst(apiKeyOperations.list, {
    columns: ["id", "name", "scope", "last4", "generation", "created_at", "revoked_at"]
  })
})

export const sealedSecretCommands = commandsOf("key-ring", {
  status: overInstallation(sealedSecretOperations.status, {
    columns: [
      "key_id",
      "in_ring",
      "seals",
      "webhook_secrets",
      "stored_answers",
      "payment_tokens",
      "credentials",
      "introductions",
      "passphrases"
    ]
  }),
  reseal: overInstallation(sealedSecretOperations.reseal)
})

export const userFlag = text("user", "The user's id or e-mail address")

const Listed = User.mapFields((fields) => ({ ...fields, organisations: Schema.Array(Schema.String) }))

export const userCommands = commandsOf("user", {
  create: overInstallation(userOperations.create, {
    parameters: {
      email: text("email", "The user's e-mail address, which no other user has"),
      name: text("name", "The user's name")
    }
  }),
  "add-to-organisation": runAgainst(userOperations.addToOrganisation, {
    parameters: {
      user: userFlag,
      role: withDescription(Flag.Literals("role", roles), "ADMIN does everything, EDITOR changes records, VIEWER reads")
    }
  }),
  "remove-from-organisation": runAgainst(userOperations.removeFromOrganisation, { parameters: { user: userFlag } }),
  list: ofInstallation({
    description: userOperations.list.summary,
    parameters: {},
    input: Empty,
    output: listOf(Listed),
    columns: ["id", "email", "name", "organisations"],
    run: () =>
      Users.use((users) =>
        Effect.map(users.list(), (all) => ({
          data: all.map(({ memberships, ...user }) => ({
            ...user,
            organisations: memberships.map(({ organisation_id, role }) => `${organisation_id} ${role}`)
          }))
        }))
      )
  })
})

/** Moves a sandbox's clock on, all the way. */
export const advance = Effect.fnUntraced(function* (duration: typeof Step.Type) {
  const sandbox = yield* Sandbox
  let clock = yield* sandbox.advance({ duration })
  while (!clock.reached) clock = yield* sandbox.advance({ to: clock.until })
  return Struct.pick(clock, ["now", "ahead_seconds"])
})

export const sandboxCommands = commandsOf("sandbox", {
  show: runAgainst(sandboxOperations.read, { description: "Show the time of an organisation" }),
  advance: ofOrganisation({
    description: "Move a sandbox's clock on: what falls due meanwhile happens in its order, as it would have",
    parameters: {
      duration: Argument.String("duration").pipe(
        Argument.withDescription("How far: a whole number with its unit, s, m, h, d or w, such as 30d")
      )
    },
    input: Schema.Struct({ duration: Step }),
    output: OrganisationClock,
    run: ({ duration }) => advance(duration)
  })
})

export const auditLogCommands = commandsOf("audit", {
  list: runAgainst(auditLogOperations.list, {
    parameters: { limit: withDefault(wholeNumber("limit"), "Entries at most, 1 to 1000", 100) },
    columns: ["created_at", "operation", "subject_id", "actor_type", "actor_id", "request_id"]
  })
})
