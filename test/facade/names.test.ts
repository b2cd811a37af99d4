import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { operations as commands } from "../../src/adapters/cli/Operations.ts"
import { Api } from "../../src/adapters/http/Api.ts"
import { Over } from "../../src/adapters/http/endpoints/Annotations.ts"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { createClient } from "../../src/client.ts"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import { eachOperation } from "../../src/printing/Vocabulary.ts"
import { fieldsOf } from "../support/Answer.ts"
import { callerIn } from "./Charity.ts"

/** The groups that only HTTP has: the service itself and the key in use. */
const ofHttp = ["meta"]

/** Commands whose name differs from that of the face, and why. docs/decisions/0055. */
const commandsApart: Readonly<Record<string, string>> = {
  // The mapping is an account's, and is kept for its payments.
  "credit mapping set": "credits.setMapping",
  "credit mapping show": "credits.readMapping",
  // A shell's user sets what an organisation shows and sends: there are no other settings.
  "settings show": "givingSettings.read",
  "settings update": "givingSettings.update",
  "settings set-logo": "givingSettings.setLogo",
  "settings remove-logo": "givingSettings.removeLogo",
  // An election counts by the regimes of its jurisdiction.
  "regime elections list": "elections.list",
  "regime elections add": "elections.add",
  "regime elections remove": "elections.remove",
  // `list` is that of a caller: the organisations that it is linked with. The command line has no caller.
  "organisation list": "organisations.listOfInstallation",
  // On the command line a payment is a thing of its own: it is named by its id alone, and listed by its set.
  "payment list": "recommendationSets.listPayments",
  "payment show": "recommendationSets.readPayment",
  "payment refund": "recommendationSets.refundPayment"
}

/** Flags that are not called by their field, and why. */
const flagsApart: Readonly<Record<string, string>> = {
  // One of three names a checkout's page, of a form, a link or a set: a flag says which.
  slug: "form",
  embedded: "embed-token",
  // The letters of an address, which say nothing to who types them.
  dt: "link-token",
  progress_token: "token",
  // A word for each value, since both are said.
  is_approved: "answer",
  has_heading: "no-heading"
}

const methodsOf = (groups: object, isGroup: (name: string) => boolean): ReadonlyArray<string> =>
  Object.entries(groups)
    .filter(([group, methods]) => typeof methods === "object" && methods !== null && isGroup(group))
    .flatMap(([group, methods]) => Object.keys(methods).map((method) => `${group}.${method}`))

const camelCase = (words: string): string => words.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const kebabCase = (name: string): string => snakeCase(name).replaceAll("_", "-")

/** The names of a field's flag: without `id` or `is`, and of a file where it is a secret or long. */
const flagNames = (field: string): ReadonlyArray<string> => {
  const own = field.replaceAll(/[_[]/g, "-").replace("]", "")
  const names = [own, own.replace(/-ids?$/, ""), own.replace(/^is-/, ""), flagsApart[field] ?? own]
  return [...names, ...names.map((name) => `${name}-file`)]
}

/** The flag that a parameter of a command is typed as; none for one that has a place of its own. */
const flagIn = (parameter: unknown): ReadonlyArray<string> => {
  const { kind, name, param } = { kind: "", name: "", param: undefined, ...Object(parameter) }
  if (param !== undefined) return flagIn(param)
  return kind === "flag" ? [name] : []
}

const singular = (word: string): string => word.replace(/ies$/, "y").replace(/s$/, "")

const groups = new Set(eachOperation().map(([group]) => group))
const named = eachOperation().map(([group, name, operation]) => ({ name: `${group}.${name}`, operation }))

const isIteration = (name: string): boolean => /\.all[A-Z]?/.test(name)

describe("one name for one thing", () => {
  let face: ReadonlyArray<string> = []
  let bound: ReadonlyArray<string> = []
  let client: ReadonlyArray<string> = []

  beforeAll(async () => {
    const almoner = await Almoner.open({ backend: memory() })
    face = methodsOf(almoner, (group) => groups.has(group)).filter((name) => name !== "events.subscribe")
    bound = methodsOf(almoner.as(await callerIn(almoner)), (group) => groups.has(group))
    await almoner.close()
    client = methodsOf(createClient({ baseUrl: "http://localhost", apiKey: "alm_test_x" }), () => true)
  })

  it("has in the face what operations are asked for under", () => {
    const asked = named.flatMap(({ name, operation }) =>
      operation.requires === null ? [] : [[name, operation.requires.name] as const]
    )
    assert.isNotEmpty(asked)
    for (const [name, askedFor] of asked) assert.strictEqual(name, camelCase(askedFor))
    const methods = face.filter((name) => !isIteration(name))
    assert.sameMembers(
      methods,
      named.map(({ name }) => name)
    )
  })

  it("has in the client what the face of a caller has, and nothing else but what only HTTP has", () => {
    const shared = client.filter((name) => !ofHttp.some((group) => name.startsWith(`${group}.`)))
    assert.isNotEmpty(shared)
    assert.deepStrictEqual(
      shared.filter((name) => !bound.includes(name)),
      []
    )
    const operators = new Set(
      named.flatMap(({ name, operation }) => (operation.requires?.who === "caller" ? [] : [name]))
    )
    // What a host tells of is declared in its own process, and nothing that HTTP offers.
    const ofHosts = ["events.emit"]
    assert.includeMembers([...bound], ofHosts)
    const beside = bound.filter((name) => !shared.includes(name) && !operators.has(name) && !ofHosts.includes(name))
    // Iterations over lists of operators are theirs, too.
    assert.deepStrictEqual(
      beside.filter((name) => !operators.has(name.replace(".all", ".list"))),
      []
    )
  })

  it("has in the client and in the document the operation of that name", () => {
    const document = openApi({ apiBaseUrl: "http://localhost", version: "0" })
    const endpoints: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
        const name = `${camelCase(group.identifier)}.${endpoint.identifier}`
        endpoints.push(name)
        const over = Context.getOrUndefined(mergedAnnotations, Over)
        const [known = name] = named.filter(({ operation }) => operation === over).map((each) => each.name)
        assert.strictEqual(name, known)
        const path = document.paths[endpoint.path.replaceAll(/:(\w+)/g, "{$1}")]
        const verb = endpoint.method.toLowerCase()
        const [, spec] = Object.entries(path ?? {}).find(([each]) => each === verb) ?? []
        assert.strictEqual(spec?.operationId, snakeCase(name).replace(".", "_"))
      }
    })
    assert.sameMembers(
      client.filter((name) => !isIteration(name)),
      endpoints
    )
  })

  it("has in the command line the last words of the group, in the singular, and the same method; `show` reads", () => {
    for (const { group, name } of commands) {
      if (group === null) continue
      const apart = commandsApart[`${group} ${name}`]
      const method = name === "show" ? "read" : camelCase(name)
      const candidates = named.filter((each) => {
        const [own = "", ownMethod] = each.name.split(".")
        return ownMethod === method && `-${singular(kebabCase(own))}`.endsWith(`-${group}`)
      })
      if (apart === undefined) assert.strictEqual(candidates.length, 1, `${group} ${name}`)
      else assert.include(face, apart)
    }
    const names = commands.map(({ group, name }) => `${group} ${name}`)
    for (const name of Object.keys(commandsApart)) assert.include(names, name)
  })

  it("has in the command line for each field a flag of its name", () => {
    const flags = commands.flatMap(({ group, name, parameters }) =>
      Object.entries(parameters).flatMap(([field, parameter]) =>
        flagIn(parameter).map((flag) => ({ command: `${group} ${name}`, field, flag }))
      )
    )
    assert.isAbove(flags.length, 100)
    assert.deepStrictEqual(
      flags.filter(({ field, flag }) => !flagNames(field).includes(flag)),
      []
    )
    for (const field of Object.keys(flagsApart)) assert.include(fieldsOf(flags, "field"), field)
  })
})
