import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { readRegimes, regimesOf } from "../../src/adapters/cli/RegimesFile.ts"
import { Regimes } from "../../src/app/compliance/Regimes.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import type { RegimeBook } from "../../src/domain/compliance/RegimeBook.ts"
import { InstallationRegimes } from "../../src/ports/compliance/InstallationRegimes.ts"
import { root } from "../architecture/Checkout.ts"
import { fieldsOf } from "../support/Answer.ts"
import { folder } from "../support/Folder.ts"
import { forEveryAsyncWith } from "../support/Property.ts"

/** The file of the guide, as printed. */
const printed: string =
  /```json\n([\s\S]*?)```/u.exec(readFileSync(join(root, "docs/disclosures.md"), "utf8"))?.[1] ?? assert.fail()

const {
  elections: [election],
  regimes: [regime]
} = JSON.parse(printed)
const held = (...elections: ReadonlyArray<object>): string => JSON.stringify({ regimes: [], elections })
const term = (from: string, to: string) => ({ label: from, starts_on: `${from}-01-01`, ends_on: `${to}-12-31` })
const fileOf = (...regimes: ReadonlyArray<object>): string => JSON.stringify({ regimes })

const listed = (book: RegimeBook) =>
  Regimes.use(({ list }) => list).pipe(
    Effect.provide(Regimes.layer),
    Effect.provideService(InstallationRegimes, book),
    Effect.map((all) =>
      all.map(({ key, origin, status, threshold_cents }) => ({ key, origin, status, threshold_cents }))
    )
  )

const reading = Effect.map(folder, (dataDir) => {
  const path = join(dataDir, "given.json")
  return (text: string) => {
    writeFileSync(path, text)
    return readRegimes(path, dataDir)
  }
})

const sayingOf = (read: ReturnType<typeof readRegimes>): string =>
  Result.isSuccess(read) ? read.success.warnings.join(" ") : read.failure

describe("a file of regimes", () => {
  it.effect("takes the place of the one whose key it has, and any other stands beside the shipped ones", () =>
    Effect.gen(function* () {
      const read = yield* reading
      const other = { ...regime, key: "nz-1", jurisdiction: "NZ", currency: "NZD" }
      const { book, warnings } = Result.getOrThrow(read(fileOf(regime, other)))
      assert.deepStrictEqual(warnings, ["REGIMES_FILE takes the place of shipped regimes: au-2027."])
      const all = yield* listed(book)
      const mine = all.filter(({ origin }) => origin === "FILE")
      assert.deepStrictEqual(
        mine.map(({ key, threshold_cents }) => `${key} ${threshold_cents}`),
        ["au-2027 510000", "nz-1 510000"]
      )
      const others = australianRegimes.map(({ key }) => key).filter((key) => key !== "au-2027")
      assert.deepStrictEqual(
        fieldsOf(
          all.filter(({ origin }) => origin === "SHIPPED"),
          "key"
        ),
        others
      )
      assert.lengthOf(
        all.filter(({ status }) => status === "NOT_SHIPPED"),
        8
      )
    })
  )

  it.effect("is refused whole for what it has wrong, and its last good copy holds where there is one", () =>
    Effect.gen(function* () {
      const wrong = [
        ["{", /not a file of regimes/],
        [fileOf({ ...regime, treshold_cents: 1 }), /treshold_cents/],
        [fileOf({ ...regime, threshold_cents: "5" }), /threshold_cents/],
        [fileOf({ ...regime, source_url: "http://a.example" }), /source_url/],
        [fileOf(regime, regime), /Two regimes have the key au-2027/],
        [fileOf({ ...regime, effective_to: "2026-12-31" }), /au-2027 ends before it begins/],
        [
          fileOf({ ...regime, period_kind: "ELECTION_TERM" }),
          /au-2027 counts gifts by election terms, and has no terms/
        ],
        [
          fileOf({ ...regime, terms: [term("2027", "2026")] }),
          /au-2027 has the term 2027, which ends before it begins/
        ],
        [
          fileOf({ ...regime, terms: [term("2028", "2030"), term("2026", "2028")] }),
          /the term 2028, which .* shares days/
        ],
        [fileOf({ ...regime, cap_period_kind: null }), /au-2027 has caps, and no cap_period_kind/],
        [fileOf({ ...regime, caps: [...regime.caps, ...regime.caps] }), /au-2027 has two caps for one donor_kind/],
        [fileOf({ ...regime, caps: [{ donor_kind: "PEAK_BODY", cap_cents: 1 }] }), /no cap for the donor_kind ANY/],
        [fileOf({ ...regime, key: "mine" }), /au-2027 .* and mine .* are in force in AU on the same day/],
        [fileOf(...Array.from({ length: 201 }, (_, index) => ({ ...regime, key: `r-${index}` }))), /200/],
        [held(), /neither a regime nor an election/],
        [held(election, { ...election, name: "Another" }), /share days/],
        [held({ ...election, polling_on: election.writ_on }), /must come before polling day/],
        [held({ ...election, jurisdiction: "NZ" }), /NZ, which is not known/],
        [held({ ...election, ends_on: "2028-05-27" }), /ends_on/],
        [`${printed}${" ".repeat(1_048_576)}`, /more than 1048576 bytes/]
      ] as const
      const unread = yield* reading
      for (const [text, said] of wrong) {
        const found = unread(text)
        assert.isTrue(Result.isFailure(found))
        assert.match(sayingOf(found), said)
        assert.match(sayingOf(found), /Correct the file, or unset REGIMES_FILE\.$/)
      }
      const dataDir = yield* folder
      const path = join(dataDir, "given.json")
      const read = (text: string) => {
        writeFileSync(path, text)
        return readRegimes(path, dataDir)
      }
      read(printed)
      yield* regimesOf(path, dataDir, false)
      assert.deepStrictEqual(readdirSync(dataDir), ["given.json"], "whoever only reads makes nothing")
      yield* regimesOf(path, dataDir, true)
      for (const [text, said] of wrong) {
        const found = Result.getOrThrow(read(text))
        assert.deepStrictEqual(found.book.from_file, ["au-2027"])
        assert.match(found.warnings.join(" "), said)
        assert.match(found.warnings.join(" "), /last good copy/)
      }
    })
  )

  it.effect("that a version before took as good starts this one, with a warning", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const text = fileOf({ ...regime, cap_period_kind: null })
      for (const name of ["given.json", "regimes.json"]) writeFileSync(join(dataDir, name), text)
      const { book, warnings } = Result.getOrThrow(readRegimes(join(dataDir, "given.json"), dataDir))
      assert.deepStrictEqual(book.from_file, ["au-2027"])
      assert.match(warnings.join(" "), /has caps, and no cap_period_kind.* last good copy/)
    })
  )

  it("throws for no text, nor leaves two regimes in force on one day", () =>
    forEveryAsyncWith(
      { numRuns: 200 },
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((text) => `{"regimes":[${text}]}`)
      ),
      (text) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.map(reading, (read) => {
              assert.isTrue(Result.isFailure(read(text)))
            })
          )
        )
    ))

  it.effect("may have elections, alone or beside a regime of their jurisdiction", () =>
    Effect.gen(function* () {
      const read = yield* reading
      const elsewhere = { ...election, jurisdiction: "NZ" }
      for (const [text, elections] of [
        [printed, [election]],
        [held(election), [election]],
        [
          JSON.stringify({ regimes: [{ ...regime, key: "nz-1", jurisdiction: "NZ" }], elections: [elsewhere] }),
          [elsewhere]
        ]
      ] as const) {
        assert.deepEqual(Result.getOrThrow(read(text)).book.elections, elections)
      }
    })
  )

  it.effect("is not needed", () =>
    Effect.gen(function* () {
      const { book, warnings } = Result.getOrThrow(readRegimes(null, yield* folder))
      assert.deepStrictEqual([book.regimes, book.from_file, warnings], [australianRegimes, [], []])
    })
  )
})
