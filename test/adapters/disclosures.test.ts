import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { disclosureOf } from "../../src/testing/conformance/DisclosureRecords.ts"
import { newDonor } from "../../src/testing/conformance/MoneyRecords.ts"
import { readCsv } from "../support/StatementFiles.ts"
import { almoner, newOrganisation, world } from "./CommandWorld.ts"

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
