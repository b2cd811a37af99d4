import { assert } from "@effect/vitest"
import { Context, Effect, Layer, SchemaAST } from "effect"
import { type groups, nameOf, type Operation } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"
import { commandOf, resourceCommands } from "../../src/adapters/cli/operations/resources.ts"
import { Api } from "../../src/adapters/http/Api.ts"
import { Over, Shows } from "../../src/adapters/http/endpoints/Annotations.ts"
import { Settings } from "../../src/adapters/http/pipeline/Settings.ts"
import { HttpService } from "../../src/adapters/http/Service.ts"
import { AccessLog } from "../../src/adapters/http/server/AccessLog.ts"
import { toFetch } from "../../src/adapters/http/server/Fetch.ts"
import * as RateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import { listParameters } from "../../src/app/access/operation/ListParameters.ts"
import { json as side } from "../../src/app/access/operation/ServiceChecks.ts"
import { typesOf } from "../../src/app/kernel/decoding/Decoder.ts"
import { Readiness } from "../../src/ports/kernel/Readiness.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, json, StandardInput, world } from "./CommandWorld.ts"

/** The groups of endpoints whose operations are all commands, with the commands' group. */
const groupOf: Readonly<Record<string, keyof typeof groups>> = {
  disclosures: "disclosure",
  donors: "donor",
  donations: "donation",
  "revenue-codes": "revenue-code",
  forms: "form",
  "checkout-links": "checkout-link",
  "recommendation-sets": "recommendation-set",
  "recipient-accounts": "recipient-account",
  introductions: "introduction",
  events: "event"
}

/** The operations of a payment have the group `payment`. */
const elsewhere: Readonly<Record<string, string>> = {
  "recommendation-set list-payments": "payment list",
  "recommendation-set read-payment": "payment show",
  "recommendation-set refund-payment": "payment refund"
}

const endpoints = Object.values(Api.groups).flatMap((group) => {
  const commands = groupOf[group.identifier]
  if (commands === undefined) return []
  return Object.entries(group.endpoints).map(([name, { annotations, method, path }]) => {
    const said = nameOf({ group: commands, name: commandOf(name) })
    return { command: elsewhere[said] ?? said, method, path, annotations: annotations as Context.Context<Over | Shows> }
  })
})

const commandNamed = (name: string): Operation =>
  operations.find((each) => nameOf(each) === name) ?? assert.fail(`There is no command ${name}.`)

const bodyOf = ({ annotations }: (typeof endpoints)[number]) => {
  const part = Context.get(annotations, Over).input.find(({ _tag }) => _tag === "Body")
  const ast = part?._tag === "Body" ? SchemaAST.toEncoded(side(part.schema).ast) : undefined
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type })) : []
}

const queryOf = ({ annotations }: (typeof endpoints)[number]): ReadonlyArray<string> =>
  Context.get(annotations, Over).input.flatMap((part) =>
    part._tag === "Query" ? Object.keys(listParameters(part.listing)).filter((name) => !name.endsWith("[eq]")) : []
  )

const http = HttpService.layer(new Map()).pipe(
  Layer.provideMerge(world),
  Layer.provideMerge(
    Layer.mergeAll(
      RateLimiter.layer({ size: { perSecond: 10_000, burst: 10_000 } }),
      Layer.succeed(Settings, { apiBaseUrl: "http://localhost:1", corsOrigins: [], version: "1.2.3" }),
      Layer.succeed(Readiness, undefined),
      Layer.succeed(AccessLog, undefined)
    )
  )
)

/** The answer of a request to the API. */
const call = Effect.fnUntraced(function* (key: string, method: string, path: string, body?: unknown) {
  const { handle } = yield* HttpService
  const context = yield* Effect.context<never>()
  const respond = toFetch(
    (request) => Effect.provideContext(handle(request), context),
    () => "192.0.2.1"
  )
  const request = new Request(`http://localhost:1/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const response = yield* Effect.promise(() => respond(request))
  return Object(yield* Effect.promise(() => response.json()))
})

const at = ["--organisation", "harbour-sandbox"]

/** An organisation of a plan that has everything, and a key of its sandbox. */
const made = Effect.gen(function* () {
  const zone = ["--name", "Harbour", "--timezone", "UTC", "--default-currency", "AUD", "--plan", "ENTERPRISE"]
  yield* json("organisation", "create", "--slug", "harbour", ...zone)
  const { secret } = yield* json("key", "create", "--name", "all", "--scope", "WRITE", ...at)
  return `${secret}`
})

const flagsOf = (fields: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, value]) => [
    `--${name.replaceAll("_", "-")}`,
    typeof value === "string" ? value : JSON.stringify(value)
  ])

withLayer(http)("the operations of the API as commands", ({ effect, it }) => {
  it("are all there, with a flag for each field and parameter", () => {
    assert.isAtLeast(endpoints.length, 45)
    for (const endpoint of endpoints) {
      const { description, parameters } = commandNamed(endpoint.command)
      assert.notStrictEqual(description, "")
      if (endpoint.command.startsWith("payment")) continue
      assert.includeMembers(Object.keys(parameters), [
        ...bodyOf(endpoint).map(({ name }) => name),
        ...queryOf(endpoint)
      ])
    }
    const said = new Set(endpoints.map(({ command }) => command))
    assert.deepStrictEqual(
      resourceCommands.map(nameOf).filter((name) => !said.has(name)),
      []
    )
  })

  effect("answer as the API does, and refuse with its code, its field and its words", function* () {
    const key = yield* made
    const donor = yield* json("donor", "create", "--first-name", "Ada", "--email", "ada@example.org", ...at)
    assert.deepStrictEqual(yield* call(key, "GET", `/donors/${donor.id}`), donor)
    assert.deepStrictEqual(yield* json("donor", "show", donor.id, ...at), donor)
    const gone = yield* json("donor", "update", donor.id, "--email", "null", "--do-not-contact", "true", ...at)
    assert.deepInclude(gone, { email: null, do_not_contact: true })
    const gift = { donor_id: donor.id, donation_type: "MONETARY", amount_cents: 5_000, donation_date: "1970-01-01" }
    const given = yield* json("donation", "create", ...flagsOf(gift), ...at)
    assert.deepInclude(yield* call(key, "GET", `/donations/${given.id}`), given)
    assert.deepInclude(yield* json("donation", "refund", given.id, "--amount-cents", "200", ...at), {
      refunded_amount_cents: 200
    })
    const form = yield* json("form", "create", "--name", "Spring", "--suggested-amounts-cents", "1000,2000", ...at)
    assert.deepStrictEqual(form.suggested_amounts_cents, [1_000, 2_000])
    for (const [path, group] of [
      ["/donors", "donor"],
      ["/donations", "donation"],
      ["/forms", "form"]
    ] as const) {
      const { data, has_more } = yield* call(key, "GET", `${path}?limit=1`)
      assert.deepStrictEqual(yield* json(group, "list", "--limit", "1", ...at), { data, has_more })
    }
    const listed = yield* json("donation", "list", "--amount-cents-gte", "5001", ...at)
    assert.deepStrictEqual(listed.data, [])
  })

  effect("take a secret from a file, and say what is wrong with it", function* () {
    const linked = almoner("--json", "recipient-account", "link", "--passphrase-file", "-", ...at)
    const { status, stderr } = yield* Effect.provideService(linked, StandardInput, "no such words\n")
    assert.strictEqual(status, 1)
    assert.deepInclude(JSON.parse(stderr).error, { param: "passphrase" })
  })

  for (const endpoint of endpoints.filter((each) => bodyOf(each).length > 0 && !each.command.startsWith("payment"))) {
    effect(`${endpoint.command} refuses what the API refuses, field by field`, function* () {
      const { secret: key } = yield* json("key", "create", "--name", endpoint.command, "--scope", "WRITE", ...at)
      const { request = {} } = Context.get(endpoint.annotations, Shows)
      const path = endpoint.path.replace("/api/v1", "").replace(/:\w+/, "dnr_00000000000000000000000000")
      const ids = path === endpoint.path.replace("/api/v1", "") ? [] : ["dnr_00000000000000000000000000"]
      for (const { name, type } of bodyOf(endpoint).filter((field) => field.name !== "passphrase")) {
        const types = typesOf(type)
        const wrong = types.includes("string")
          ? "x".repeat(70_000)
          : types.includes("array")
            ? ["nonsense"]
            : "nonsense"
        const body = { ...Object(request), [name]: wrong }
        const { error } = yield* call(`${key}`, endpoint.method, path, body)
        const { passphrase, ...flags } = body
        const secret = passphrase === undefined ? [] : ["--passphrase-file", "-"]
        const ran = almoner("--json", ...endpoint.command.split(" "), ...ids, ...flagsOf(flags), ...secret, ...at)
        const { stderr } = yield* Effect.provideService(ran, StandardInput, `${passphrase ?? ""}`)
        const { code, message, param } = error
        const flag = `--${name.replaceAll("_", "-")}`
        const refused = JSON.parse(stderr).error
        // A word that is none of the field's types is refused before anything is asked.
        if (!types.includes("string") && (!types.includes("array") || name.endsWith("_cents"))) {
          assert.deepInclude(refused, { code: "usage" }, name)
          assert.isTrue(refused.message.startsWith(`${flag} `), refused.message)
          continue
        }
        const told = code === "not_found" ? { code } : { code, ...(param === undefined ? {} : { param }) }
        assert.deepInclude(refused, told, name)
        if (code === "not_found") continue
        assert.strictEqual(refused.message.replace(flag, name), message.replace(/, not an? \w+(?=\.$)/, ""), name)
      }
    })
  }
})
