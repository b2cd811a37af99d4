import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { Donors } from "../../src/app/giving/Donors.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { runFolder } from "../support/RunFolder.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { almoner, json, newAccount, newFormOf, StandardInput, world } from "./CommandWorld.ts"

const makeOrganisation = (side: string) => Effect.map(newFormOf(side, { name: "Winter appeal" }), ({ at }) => at)

/** The options of an account at a bank, and of a gift to it. */
const atBank = (account: string) => [
  ...["--label", "Bank", "--processor-connect-account", "main", "--processor", "bank"],
  ...["--bank-account", account]
]
const giving = [
  ...["--form", "winter-appeal", "--amount-cents", "5000", "--currency", "AUD"],
  ...["--method", "bank_transfer", "--email", "ada@example.org"]
]

withLayer(world)("bank transfers on the command line", ({ effect }) => {
  effect("settle gifts by their reference, however it is written, and hold what has none", function* () {
    const at = yield* makeOrganisation("riverside")
    const integration = yield* json("integration", "create", ...at, ...atBank("062-000 12345678 Riverside Trust"))
    assert.deepInclude(integration, { processor: "bank", methods: ["bank_transfer"], charges_enabled: true })
    const given = yield* json("checkout", "submit", ...at, ...giving)
    assert.strictEqual(given.status, "WAITING")
    const { reference, ...told } = given.next_step
    assert.include(JSON.stringify(told), "062-000")

    const path = join(runFolder("credits"), "statement.csv")
    const written = `${reference.slice(0, 4)}-${reference.slice(4)}`.toLowerCase()
    const lines = [`DIRECT CREDIT ADA ${written},50.00`, "ACCOUNT FEE,-4.00", "CASH DEPOSIT,25.00"]
    writeFileSync(path, ["Date,Description,Amount", ...lines.map((line) => `01/01/1970,${line}`)].join("\n"))
    const importing = ["credit", "import", path, ...at, "--integration", integration.id, "--day-format", "DD/MM/YYYY"]
    const dry = yield* json(...importing, "--dry-run")
    assert.deepInclude(dry, { recorded: 2, matched: 1, exceptions: 1, skipped: 1, is_dry_run: true })
    assert.isEmpty((yield* json("credit", "list", ...at)).data)
    assert.deepInclude(yield* json(...importing), { recorded: 2, matched: 1, exceptions: 1 })
    assert.deepInclude(yield* json(...importing), { recorded: 0, known: 2 })
    yield* Settler.use(({ settleDue }) => settleDue)
    const { data: charges } = yield* json("charge", "list", ...at)
    assert.deepInclude(charges[0], { status: "SUCCEEDED", reference })

    const { data: credits } = yield* json("credit", "list", ...at, "--charge", charges[0].id)
    assert.lengthOf(credits, 1)
    assert.deepInclude(yield* json("credit", "show", ...at, credits[0].id), { reference, amount_cents: 5_000 })
    const { data: raised } = yield* json("exception", "list", ...at)
    assert.deepInclude(raised[0], { kind: "unmatched_credit", held_cents: 2_500 })
    const organisation = yield* Organisations.use((organisations) => organisations.findBySlug("riverside"))
    const donor = yield* Donors.use((donors) => donors.create({ email: "eve@example.org" })).pipe(
      asOperator(organisation)
    )
    const resolving = [
      "exception",
      "resolve",
      raised[0].id,
      ...at,
      "--note",
      "It was Ada",
      ...["--as-gift", "--donor", donor.id]
    ]
    assert.deepInclude(yield* json(...resolving), { status: "RESOLVED" })
    assert.strictEqual((yield* almoner(...resolving)).status, 1)
    const { data: books } = yield* json("ledger", "check")
    for (const { faults } of books) assert.deepStrictEqual(faults, [])
  })

  effect("come from no pipe and no folder, for which nobody waits", function* () {
    const at = yield* makeOrganisation("piped")
    const { id } = yield* json("integration", "create", ...at, ...atBank("062-000 12345678 Lake Trust"))
    const folder = runFolder("pipes")
    const pipe = join(folder, "pipe")
    execFileSync("mkfifo", [pipe])
    for (const path of [pipe, folder, "/dev/null"]) {
      const refused = yield* almoner("credit", "import", path, ...at, "--integration", id)
      assert.match(refused.failure ?? "", /must name a file: give - for/, path)
    }
  })

  effect("come from files in any of the usual encodings, by a mapping that is kept", function* () {
    const at = yield* makeOrganisation("written")
    const { id } = yield* json("integration", "create", ...at, ...atBank("062-000 12345678 Harbour Trust"))
    const of = [...at, "--integration", id]
    assert.deepInclude(yield* json("credit", "mapping", "set", ...of, "--bank", "anz", "--pass-over"), {
      pass_over: true
    })
    assert.deepInclude(yield* json("credit", "mapping", "show", ...of), { has_heading: false, text_columns: ["3"] })
    const content = "Opening,,\n01/01/1970,50.00,ZOË\n01/01/1970,70.00,EVE\n"
    const utf16 = Buffer.from(content, "utf16le")
    const encoded = {
      utf8: Buffer.from(content),
      latin1: Buffer.from(content, "latin1"),
      utf16,
      marked: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      big: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16()
    }
    const known: Array<unknown> = []
    for (const [name, bytes] of Object.entries(encoded)) {
      const path = join(runFolder("credits"), `${name}.csv`)
      writeFileSync(path, bytes)
      const { known: before, passed } = yield* json("credit", "import", path, ...of)
      known.push([before, passed.length])
    }
    assert.deepStrictEqual(known, [[0, 1], ...Array(4).fill([2, 1])])
    const { data } = yield* json("credit", "list", ...at)
    assert.deepStrictEqual(new Set(data.map(({ text }: { text: string }) => text)), new Set(["ZOË", "EVE"]))
    const departing = yield* almoner("credit", "import", "-", ...of, "--amount-column", "3")
    assert.match(departing.failure ?? "", /^--amount-column must be as the mapping of this account has it/)
  })

  effect("never came, where that is said of one, of a file, or of all of a kind once they were shown", function* () {
    const at = yield* makeOrganisation("voiding-sandbox")
    const { id } = yield* newAccount(at, "acct_2", "--methods", "bank_transfer")
    const record = (text: string) =>
      json(
        "credit",
        "record",
        ...at,
        ...["--integration", id, "--amount-cents", "5000", "--day", "1970-01-01"],
        "--text",
        text
      )
    const noted = [...at, "--note", "Typed twice"]
    const [first] = [yield* record("a"), yield* record("b")]
    assert.isNotNull((yield* json("credit", "void", first.id, ...noted)).voided_at)
    const path = join(runFolder("credits"), "wrong.csv")
    writeFileSync(path, "Date,Amount,Description\n1970-01-01,70.00,EVE\n1970-01-01,50.00,b\n")
    const { import_id } = yield* json("credit", "import", path, ...at, "--integration", id)
    assert.deepInclude(yield* json("credit", "undo", import_id, ...noted, "--dry-run"), {
      voided: 1,
      amount_cents: 7_000
    })
    assert.deepInclude(yield* json("credit", "undo", import_id, ...noted), { voided: 1, is_dry_run: false })
    const all = ["exception", "resolve", ...noted, "--all", "--kind", "unmatched_credit", "--money", "never_came"]
    const misused = yield* almoner(...all)
    assert.match(misused.failure ?? "", /--all must stand beside --kind and --before/)
    assert.match(
      (yield* almoner(...all, "--before", "1970-01-02", "--as-gift")).failure ?? "",
      /^as-gift must not be given/
    )
    assert.match((yield* almoner("exception", "resolve", ...noted)).failure ?? "", /by its id, or give --all/)
    const shown = yield* json(...all, "--before", "9999-01-01")
    assert.deepInclude(shown, { count: 1, held: [{ currency: "AUD", held_cents: 5_000 }], is_dry_run: true })
    assert.deepInclude(yield* json(...all, "--before", "9999-01-01", "--confirm"), { ...shown, is_dry_run: false })
    const { data } = yield* json("exception", "list", ...at)
    assert.isEmpty(data)
  })

  effect("come from files of which every bad line is named", function* () {
    const at = yield* makeOrganisation("badly")
    const integration = yield* json("integration", "create", ...at, ...atBank("062-000 1234-5678 Harbour Trust"))
    const moved = yield* almoner(
      ...["integration", "set-bank-account", ...at, integration.id, "--bsb", "062001"],
      ...["--account-number", "123", "--account-name", "x"]
    )
    assert.match(moved.failure ?? "", /^--account-number must be four to ten digits/)
    const importing = (content: string, ...more: ReadonlyArray<string>) =>
      almoner("credit", "import", ...at, "-", "--integration", integration.id, ...more).pipe(
        Effect.provideService(StandardInput, content)
      )
    const bad = yield* importing("16/01/1970;1,50;a\n1970-01-01;2,50;b\n", "--no-heading", "--delimiter", "semicolon")
    assert.match(bad.failure ?? "", /^--day-column must be the number/)
    const named = yield* importing(
      "x;1,50;a\n1970-01-01;two;b\n",
      ...["--no-heading", "--delimiter", "semicolon", "--decimal-mark", ","],
      ...["--day-column", "1", "--amount-column", "2", "--text-columns", "3"]
    )
    assert.match(named.failure ?? "", /Line 1 has no day.*Line 2 has no amount.*Nothing was imported/)
    const missing = yield* almoner("credit", "import", ...at, "/nowhere.csv", "--integration", integration.id)
    assert.match(missing.failure ?? "", /must name a file that can be read/)
  })
})
