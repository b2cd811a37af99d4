import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { shippedRegimes } from "../../src/domain/compliance/RegimeBook.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../src/ports/compliance/InstallationRegimes.ts"
import { disclosureOf } from "../../src/testing/conformance/DisclosureRecords.ts"
import { newDonor } from "../../src/testing/conformance/MoneyRecords.ts"
import { readCsv } from "../support/StatementFiles.ts"
import { almoner, json, newOrganisation, world } from "./CommandWorld.ts"

const exported = (period: string, organisation = "harbour-trust") =>
  almoner("disclosure", "export", "--jurisdiction", "AU", "--period", period, "--organisation", organisation)

layer(world)("almoner disclosure export", (it) => {
  it.effect("prints every page of the period, with one head, and nothing else", () =>
    Effect.gen(function* () {
      yield* newOrganisation("harbour-trust")
      const { id } = yield* Effect.orDie(Organisations.use(({ findBySlug }) => findBySlug("harbour-trust")))
      const store = yield* DisclosureStore
      const made: Array<string> = []
      for (let number = 0; number < 201; number += 1) {
        const disclosure = yield* disclosureOf(yield* newDonor(id))
        yield* store.insert(disclosure)
        made.push(disclosure.id)
      }
      const { status, stdout } = yield* exported("2040")
      assert.strictEqual(status, 0)
      const [head, ...lines] = Result.getOrThrow(readCsv(stdout, ",", { fields: 21 }))
      assert.strictEqual(head?.fields[0], "disclosure_id")
      assert.deepStrictEqual(lines.map(({ fields }) => fields[0] ?? "").toSorted(), made.toSorted())
    })
  )

  it.effect("prints the head alone where the period has none, and says so of an organisation that is not there", () =>
    Effect.gen(function* () {
      assert.match((yield* exported("2041")).stdout, /^disclosure_id,[a-z_,]*\r\n$/u)
      const { status, stdout } = yield* exported("2040", "nobody")
      assert.deepStrictEqual([status === 0, stdout], [false, ""])
    })
  )
})

const day = CalendarDate.make

/** A law that holds on every day, whose figures were to be checked again long ago. */
const overdue = {
  ...shippedRegimes,
  regimes: shippedRegimes.regimes
    .filter(({ key }) => key === "au-2027")
    .map((regime) => ({ ...regime, effective_from: day("1950-01-01"), review_by: day("1960-01-01") }))
}

layer(Layer.provide(world, Layer.succeed(InstallationRegimes, overdue)))("commands that go by a regime", (it) => {
  it.effect("warn where its figures are to be checked again, beside what they print", () =>
    Effect.gen(function* () {
      yield* newOrganisation("harbour-trust")
      const { id } = yield* Effect.orDie(Organisations.use(({ findBySlug }) => findBySlug("harbour-trust")))
      const donor = yield* newDonor(id)
      const at = ["--organisation", "harbour-trust"]
      const list = ["disclosure", "list", ...at]
      assert.strictEqual((yield* almoner(...list)).stderr, "")
      const disclosure = yield* disclosureOf(donor)
      yield* DisclosureStore.use((store) => store.insert(disclosure))
      const gift = ["--donation-type", "MONETARY", "--amount-cents", "500", "--donation-date", "1970-01-01"]
      yield* json("donation", "create", "--donor-id", donor.id, ...gift, ...at)
      const commands = [
        list,
        ["disclosure", "show", disclosure.id, ...at],
        ["disclosure", "uncoded", ...at],
        ["disclosure", "export", "--jurisdiction", "AU", "--period", "2040", ...at],
        ["regime", "list"]
      ]
      for (const command of commands) {
        const { status, stderr, stdout } = yield* almoner("--json", ...command)
        assert.strictEqual(status, 0, stderr)
        assert.match(stderr, /^The figures of the disclosure regime au-[^\n]* are to be checked from 1960-01-01 on: /u)
        assert.notInclude(stdout, "are to be checked")
      }
    })
  )
})
