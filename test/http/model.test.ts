import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { type Answer, assertRefused, valueAt } from "../support/Answer.ts"
import { type ExpectedAnswer, GivingModel, type Ids, type Kind, type Step } from "../support/GivingModel.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { hostileRequests } from "../support/Rounds.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

/** Sequences of one kind of stores; `HOSTILE_REQUESTS` asks for more. */
const sequences = Math.ceil(hostileRequests / 100)

/** A step of a sequence, which knows what is there when it is reached; none where what it needs is not there yet. */
type Planned = (model: GivingModel) => Step | undefined

const nameOf = fc.constantFrom(null, "Ada", "Kim")
const names = fc.record(
  { first_name: nameOf, last_name: nameOf, email: fc.constantFrom(null, "kim@example.org") },
  { requiredKeys: [] }
)
const amount = fc.integer({ min: 0, max: 20 })
const codeText = fc.constantFrom("Gala", "gala", " GALA ", "Straße", "STRASSE", "Winter")
const formStatus = fc.constantFrom("DRAFT" as const, "ACTIVE" as const, "PAUSED" as const)

/** Picks one of what is there, lately made ones more often. */
const at = (all: ReadonlyArray<unknown>, pick: number): number => all.length - 1 - (pick % all.length)

/** A step on a record of a list, where there is one. */
const on = <A>(
  list: "donors" | "logs" | "codes" | "gifts" | "forms" | "links",
  rest: fc.Arbitrary<A>,
  perform: (model: GivingModel, index: number, given: A) => Step
): fc.Arbitrary<Planned> =>
  fc.tuple(fc.nat(4), rest).map(([pick, given]) => (model) => {
    const all = model[list]
    return all.length === 0 ? undefined : perform(model, at(all, pick), given)
  })

/** A step that any model can take. */
const always = <A>(given: fc.Arbitrary<A>, perform: (model: GivingModel, given: A) => Step): fc.Arbitrary<Planned> =>
  given.map((each) => (model) => perform(model, each))

const none = fc.constant(null)

const weighing = (weight: number, arbitrary: fc.Arbitrary<Planned>) => ({ weight, arbitrary })

const cents = fc.integer({ min: 1, max: 20 })

const planned: fc.Arbitrary<Planned> = fc.oneof(
  weighing(
    3,
    always(names, (model, given) => model.createDonor(given))
  ),
  weighing(
    2,
    on("donors", names, (model, index, given) => model.changeDonor(index, given))
  ),
  on("donors", none, (model, index) => model.archiveDonor(index)),
  on("donors", fc.nat(4), (model, index, pick) => model.mergeDonor(index, at(model.donors, pick))),
  on("donors", none, (model, index) => model.writeLog(index)),
  on("logs", fc.option(fc.nat(4)), (model, index, pick) =>
    model.deleteLog(index, pick === null ? (model.logs[index]?.donor ?? 0) : at(model.donors, pick))
  ),
  always(codeText, (model, code) => model.createCode(code)),
  on("codes", codeText, (model, index, code) => model.renameCode(index, code)),
  on("codes", none, (model, index) => model.archiveCode(index)),
  weighing(
    2,
    on("donors", amount, (model, index, given) => model.give(index, given, null))
  ),
  on("donors", fc.tuple(amount, codeText), (model, index, [given, text]) => model.give(index, given, { text })),
  on("codes", fc.tuple(amount, fc.nat(4), fc.nat(4)), (model, code, [given, pick]) =>
    model.donors.length === 0
      ? model.createDonor({ first_name: "Ada" })
      : model.give(at(model.donors, pick), given, { code })
  ),
  weighing(
    3,
    on("gifts", fc.option(cents, { nil: undefined }), (model, index, given) => model.refund(index, given))
  ),
  always(fc.constantFrom("Gala", "Winter"), (model, name) => model.createForm(name)),
  weighing(
    2,
    on("forms", formStatus, (model, index, status) => model.moveForm(index, status))
  ),
  on("forms", none, (model, index) => model.archiveForm(index)),
  always(cents, (model, given) => model.createLink(given)),
  on("links", cents, (model, index, given) => model.changeLink(index, given)),
  on("links", none, (model, index) => model.cancelLink(index)),
  on("links", none, (model, index) => model.archiveLink(index))
)

/** Asserts that the answer shows the record, or is one of the contract's refusals of the request. */
const assertExpected = (answer: Answer, expected: ExpectedAnswer, told: string): void => {
  if ("refusals" in expected) {
    const [, code, param] =
      expected.refusals.find(([, , each]) => each === answer.at("error.param")) ?? expected.refusals[0] ?? []
    assertRefused(answer, code as Parameters<typeof assertRefused>[1], param)
    return
  }
  assert.strictEqual(answer.status, expected.status, told)
  for (const [field, value] of Object.entries(expected.shows)) assert.deepStrictEqual(answer.at(field), value, told)
}

describeService(everyKind, "the contract's rules for giving,", (service) => {
  let tenant: Tenant
  let made: Record<Kind, Array<string>>

  const ids: Ids = (kind, index) => made[kind][index] ?? assert.fail(`no ${kind} ${index}`)

  const perform = async ({ asked, expected }: Step) => {
    const path = asked.path(ids)
    const body = asked.body?.(ids)
    const answer = await tenant.writer.request(asked.method, path, body === undefined ? {} : { json: body })
    const told = `${asked.method} ${path} ${JSON.stringify(body)}: ${answer.text}`
    assertExpected(answer, expected, told)
    if ("made" in expected && expected.made !== undefined) made[expected.made].push(answer.textAt("id"))
    // A gift that found no code of that text has made one.
    const code = answer.status === 201 ? answer.at("revenue_code_id") : null
    if (typeof code === "string" && !made.code.includes(code)) made.code.push(code)
  }

  /** Every record of a list, oldest first. */
  const all = async (path: string): Promise<ReadonlyArray<unknown>> => {
    const found: Array<unknown> = []
    for (let page = ""; ; ) {
      const answer = await tenant.reader.get(`${path}${path.includes("?") ? "&" : "?"}limit=100${page}`)
      assert.strictEqual(answer.status, 200, answer.text)
      const data = answer.listAt("data")
      found.push(...data)
      if (answer.at("has_more") !== true) return found.reverse()
      page = `&starting_after=${String(valueAt(data.at(-1), "id"))}`
    }
  }

  const told = (records: ReadonlyArray<unknown>, ...fields: ReadonlyArray<string>) =>
    records.map((record) => fields.map((field) => valueAt(record, field)))

  const assertLeft = async (model: GivingModel) => {
    const { codes, donors, forms, gifts, links, logs } = model
    assert.deepStrictEqual(
      told(await all("/donors?archived=true"), "id", "first_name", "last_name", "email"),
      donors.map((each, index) => [ids("donor", index), each.first_name, each.last_name, each.email])
    )
    assert.deepStrictEqual(
      told(await all("/donors"), "id"),
      donors.flatMap(({ archived }, index) => (archived ? [] : [[ids("donor", index)]]))
    )
    for (const [donor] of donors.entries()) {
      assert.deepStrictEqual(
        told(await all(`/donors/${ids("donor", donor)}/contact-logs`), "id"),
        logs.flatMap((log, index) => (log.donor === donor && !log.deleted ? [[ids("log", index)]] : []))
      )
    }
    assert.deepStrictEqual(
      told(
        await all("/donations?status[in]=CONFIRMED,REFUNDED"),
        ...["id", "donor_id", "amount_cents", "refunded_amount_cents", "status", "revenue_code"]
      ),
      gifts.map(({ amount: given, code, donor, refunded }, index) => [
        ids("gift", index),
        ids("donor", donor),
        given,
        refunded,
        refunded === given ? "REFUNDED" : "CONFIRMED",
        code === null ? null : codes[code]?.code
      ])
    )
    assert.deepStrictEqual(
      told(await all("/revenue-codes?archived=true"), "id", "code"),
      codes.map(({ code }, index) => [ids("code", index), code])
    )
    assert.deepStrictEqual(
      told(await all("/revenue-codes"), "code"),
      codes.flatMap(({ archived, code }) => (archived ? [] : [[code]]))
    )
    assert.deepStrictEqual(
      told(await all("/forms?archived=true"), "id", "status"),
      forms.map(({ status }, index) => [ids("form", index), status])
    )
    assert.deepStrictEqual(
      told(await all("/checkout-links?archived=true"), "id", "amount_cents", "status"),
      links.map(({ amount: given, status }, index) => [ids("link", index), given, status])
    )
    assert.deepStrictEqual(
      told(await all("/events"), "type", "data.id"),
      model.events.map(([type, kind, index]) => [type, ids(kind, index)])
    )
  }

  it("hold after any sequence of requests: each answer, what is left, and every event in its order", async () => {
    await forEveryAsyncWith({ numRuns: sequences }, fc.array(planned, { maxLength: 40, size: "max" }), async (plan) => {
      tenant = await makeTenant(service)
      made = { donor: [], log: [], code: [], gift: [], form: [], link: [] }
      const model = new GivingModel()
      for (const each of plan) {
        const step = each(model)
        if (step !== undefined) await perform(step)
      }
      await assertLeft(model)
    })
    assert.deepStrictEqual(service.logs, [])
  }, 600_000)
})
