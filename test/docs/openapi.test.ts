import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { codes, statusOf } from "../../src/adapters/http/pipeline/ErrorEnvelope.ts"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { type Answer, componentOf, follow, type OperationSpec, verbs } from "../../src/adapters/http/reference/Spec.ts"
import { commonMeanings } from "../../src/domain/kernel/Fields.ts"
import { catalogue, eventTypes } from "../../src/domain/outbox/Event.ts"
import { root } from "../architecture/Checkout.ts"
import { declaredOperations, guardedOperations } from "../support/Declaration.ts"

const document = openApi({ apiBaseUrl: "https://api.example.org", version: "1.2.3" })
const json = "application/json"

const rules = readFileSync(join(root, "redocly.yaml"), "utf8")

/** The complaints of the linter's recommended rules. */
const lint = async (value: unknown): Promise<ReadonlyArray<string>> => {
  const config = await createConfig(rules)
  const found = await lintFromString({ source: JSON.stringify(value), absoluteRef: "openapi.json", config })
  return found.map(({ message, ruleId, severity }) => `${severity} ${ruleId}: ${message}`)
}

const all: ReadonlyArray<{ readonly verb: string; readonly path: string; readonly operation: OperationSpec }> =
  Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb]
      return operation === undefined ? [] : [{ verb, path, operation }]
    })
  )

const answersOf = ({ responses }: OperationSpec): ReadonlyArray<readonly [string, Answer]> =>
  Object.entries(responses).map(([status, answer]) => [status, follow(answer, document.components.responses)])

/** The fields of a record, whichever part of it they stand in. */
const fieldsOf = (schema: unknown): Readonly<Record<string, unknown>> => {
  const { allOf, properties } = Object(schema)
  return Object.assign({}, properties, ...(Array.isArray(allOf) ? allOf.map(fieldsOf) : []))
}

/** The document without its paths: the rules for the whole are the same, and judged in a moment. */
const wholeOf = ({ components: { securitySchemes }, ...rest }: typeof document) => ({
  ...rest,
  paths: {},
  webhooks: {},
  components: { securitySchemes }
})

describe("the OpenAPI document", () => {
  it("passes the linter's recommended rules, which a broken document does not", async () => {
    assert.deepStrictEqual(await lint(document), [])
    assert.deepStrictEqual(await lint({ ...wholeOf(document), servers: [] }), [
      "error no-empty-servers: Servers must be a non-empty array."
    ])
  })

  it("names the plan in the title of every operation that needs one, and of no other", () => {
    const named = all.filter(({ operation }) => /plan\)$/.test(operation.summary))
    assert.strictEqual(named.length, 8)
    for (const { operation } of all) {
      const { summary, "x-plan": plan = "FREE" } = operation
      const [, title] = / \((\w+) plan\)$/.exec(summary) ?? []
      assert.strictEqual(title?.toUpperCase() ?? "FREE", plan, summary)
    }
  })

  it("has every declared operation once, and every operation says what it needs", () => {
    assert.strictEqual(all.length, declaredOperations.length)
    assert.strictEqual(new Set(all.map(({ operation }) => operation.operationId)).size, all.length)
    for (const { operation } of all) {
      if (operation.operationId === "meta_health") {
        assert.deepStrictEqual(operation.security, [])
        continue
      }
      const asked =
        guardedOperations.find(({ requires }) => requires.name.replace(".", "_") === operation.operationId)?.requires ??
        assert.fail(operation.operationId)
      assert.strictEqual(operation["x-scope"], asked.scope)
      assert.strictEqual(operation["x-plan"], asked.plan)
      assert.isUndefined(operation.security)
    }
  })

  it("declares exactly the errors that scope, plan, path, verb and machines imply", () => {
    // A removal is refused where a machine says so; the others are repeated at will.
    const refusedRemovals = ["checkout_links_archive", "contact_logs_delete", "introductions_revoke"]
    for (const { operation, path, verb } of all) {
      const { operationId, "x-plan": plan, "x-scope": scope } = operation
      const keyed = verb === "post" || verb === "patch"
      const implied = [
        "invalid_request",
        "validation_failed",
        ...(scope === undefined ? [] : ["unauthorized"]),
        ...(scope === "WRITE" || (plan ?? "FREE") !== "FREE" || operationId === "meta_whoami" ? ["forbidden"] : []),
        ...(path.includes("{") ? ["not_found"] : []),
        "method_not_allowed",
        ...(keyed || refusedRemovals.includes(operationId) ? ["conflict"] : []),
        ...(keyed ? ["idempotency_conflict"] : []),
        "rate_limited",
        "internal_error"
      ]
      assert.deepStrictEqual(operation["x-error-codes"], implied, operationId)
      const statuses = Object.keys(operation.responses).filter((status) => status >= "4")
      assert.deepStrictEqual(
        statuses,
        [...new Set(codes.filter((code) => implied.includes(code)).map((code) => `${statusOf[code]}`))],
        operationId
      )
    }
  })

  it("has its operations under the contract's tags, each of which has some", () => {
    const used = all.flatMap(({ operation }) => operation.tags)
    assert.deepStrictEqual(
      document.tags.map(({ name }) => name),
      [...new Set([...document.tags.map(({ name }) => name), ...used])]
    )
    for (const { name } of document.tags) assert.include(used, name)
  })

  it("has a name for an idempotency key exactly on POST and PATCH", () => {
    for (const { operation, verb } of all) {
      const names = operation.parameters.map((parameter) => follow(parameter, document.components.parameters).name)
      assert.strictEqual(names.includes("Idempotency-Key"), verb === "post" || verb === "patch", operation.operationId)
    }
  })

  it("tells the rate and the request id in every answer, and what else a status brings", () => {
    for (const { operation } of all) {
      for (const [status, answer] of answersOf(operation)) {
        const names = Object.keys(answer.headers ?? {})
        assert.strictEqual(names.includes("WWW-Authenticate"), status === "401")
        assert.include(names, "x-request-id")
        assert.strictEqual(
          names.filter((name) => name.includes("RateLimit-")).length,
          7,
          `${operation.operationId} ${status}`
        )
        assert.strictEqual(names.includes("Retry-After"), status === "429" || status === "500")
        assert.strictEqual(names.includes("Allow"), status === "405")
      }
    }
  })

  it("has a delivery for every event type, which says when it comes", () => {
    assert.deepStrictEqual(Object.keys(document.webhooks), [...eventTypes])
    for (const type of eventTypes) {
      assert.include(document.webhooks[type]?.post?.description ?? "", catalogue[type].when)
    }
  })

  it("answers each status with the envelope of its own codes", () => {
    for (const code of codes) {
      const answer = document.components.responses[`Error${statusOf[code]}`]
      assert.include(answer?.description ?? "", code)
      const { error } = Object(document.components.schemas[`Error${statusOf[code]}`]?.["properties"])
      assert.notInclude(error.description, "null")
      const { code: told } = error.properties
      assert.include((document.components.schemas[componentOf(told) ?? ""] ?? told).enum, code)
    }
  })

  it("marks deprecated fields", () => {
    const { properties } = Object(document.components.schemas["DonationEventData"])
    assert.isTrue(properties.tracking_code.deprecated)
    assert.isTrue(properties.tracking_code_id.deprecated)
    assert.isUndefined(properties.revenue_code.deprecated)
  })

  it("says what every field of a request and of a record means", () => {
    const records = all.flatMap(({ operation }) => [
      operation.requestBody?.content[json]?.schema,
      ...answersOf(operation).flatMap(([status, { content }]) => (status < "3" ? [content?.[json]?.schema] : []))
    ])
    const names = new Set(records.flatMap((schema) => (schema === undefined ? [] : [componentOf(schema) ?? ""])))
    assert.isAbove(names.size, 10)
    for (const name of names) {
      for (const [field, value] of Object.entries(fieldsOf(document.components.schemas[name]))) {
        const { $ref, description } = Object(value)
        const isRecord = document.components.schemas[componentOf({ $ref }) ?? ""]?.["properties"] !== undefined
        assert.isTrue(
          isRecord || description !== undefined,
          `${name}.${field}: say it in the schema's annotation meanings`
        )
      }
    }
  })

  it("explains no field that no record has", () => {
    const printed = OpenApi.fromApi(Api, { includeAnnotationKey: (key) => key === "meanings" }).components.schemas
    const schemas = Object.values(printed).map((schema) => Object(schema))
    const fields = new Set(schemas.flatMap(({ properties }) => Object.keys(Object(properties))))
    const explained = schemas.flatMap(({ meanings }) => Object.keys(Object(meanings)))
    assert.isAbove(explained.length, 100)
    for (const name of [...explained, ...Object.keys(commonMeanings)]) assert.isTrue(fields.has(name), name)
    assert.notInclude(JSON.stringify(document), '"meanings"')
  })

  it("gives list parameters the types that a list reads", () => {
    const parameters = document.paths["/api/v1/donations"]?.get?.parameters ?? []
    const byName = new Map(
      parameters.map((each) => {
        const parameter = follow(each, document.components.parameters)
        return [parameter.name, parameter]
      })
    )
    assert.strictEqual(byName.get("limit")?.schema["type"], "integer")
    assert.strictEqual(byName.get("is_recurring")?.schema["type"], "boolean")
    assert.strictEqual(byName.get("amount_cents[gte]")?.schema["type"], "integer")
    assert.deepStrictEqual(
      [byName.get("status[in]")?.schema["type"], byName.get("status[in]")?.style, byName.get("status[in]")?.explode],
      ["array", "form", false]
    )
    for (const [, parameter] of byName) assert.isFalse(parameter.required)
  })
})
